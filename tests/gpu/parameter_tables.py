"""Parameter names and shapes of the models, by arithmetic alone: no PyTorch is needed.

The element counts are the ones the rest of the project uses: ResNet-50 25,557,032 in 161 tensors,
ResNet-101 44,549,160 in 314, BERT-base (vocabulary 21128, 5 labels) 102,271,493 in 201.
"""

import collections
import math

ResNetShape = collections.namedtuple("ResNetShape", "blocks width classes image")
BertShape = collections.namedtuple("BertShape", "vocabulary hidden layers heads inner positions labels")

MODELS = {
    "resnet50": ResNetShape((3, 4, 6, 3), 64, 1000, 224),
    "resnet101": ResNetShape((3, 4, 23, 3), 64, 1000, 224),
    "bert-base": BertShape(21128, 768, 12, 12, 3072, 512, 5),
    # Small ones for `--smoke`: the same code, in a second on a CPU.
    "tiny-resnet": ResNetShape((1, 1, 1, 1), 16, 10, 32),
    "tiny-bert": BertShape(100, 32, 2, 2, 64, 16, 3),
}

EXPANSION = 4  # of a bottleneck block


def _norm(name, size):
    return [(f"{name}.weight", (size,)), (f"{name}.bias", (size,))]


def _linear(name, outputs, inputs):
    return [(f"{name}.weight", (outputs, inputs)), (f"{name}.bias", (outputs,))]


def resnet_parameters(shape):
    """[(name, shape)] in the order in which torchvision's model lists them."""
    table = [("conv1.weight", (shape.width, 3, 7, 7))] + _norm("bn1", shape.width)
    inputs = shape.width
    for stage, blocks in enumerate(shape.blocks, 1):
        width = shape.width * 2 ** (stage - 1)
        for block in range(blocks):
            name = f"layer{stage}.{block}"
            table += [(f"{name}.conv1.weight", (width, inputs, 1, 1))] + _norm(f"{name}.bn1", width)
            table += [(f"{name}.conv2.weight", (width, width, 3, 3))] + _norm(f"{name}.bn2", width)
            outputs = EXPANSION * width
            table += [(f"{name}.conv3.weight", (outputs, width, 1, 1))] + _norm(f"{name}.bn3", outputs)
            if block == 0:
                table += [(f"{name}.downsample.0.weight", (outputs, inputs, 1, 1))]
                table += _norm(f"{name}.downsample.1", outputs)
            inputs = outputs
    return table + _linear("fc", shape.classes, inputs)


def bert_parameters(shape):
    """[(name, shape)] of a BERT encoder with pooler and classifier, in the usual order."""
    hidden = shape.hidden
    table = [("embeddings.word.weight", (shape.vocabulary, hidden)),
             ("embeddings.position.weight", (shape.positions, hidden)),
             ("embeddings.token_type.weight", (2, hidden))] + _norm("embeddings.norm", hidden)
    for layer in range(shape.layers):
        name = f"layers.{layer}"
        for part in ("query", "key", "value", "attention_output"):
            table += _linear(f"{name}.{part}", hidden, hidden)
        table += _norm(f"{name}.attention_norm", hidden)
        table += _linear(f"{name}.inner", shape.inner, hidden)
        table += _linear(f"{name}.output", hidden, shape.inner)
        table += _norm(f"{name}.output_norm", hidden)
    return table + _linear("pooler", hidden, hidden) + _linear("classifier", shape.labels, hidden)


def parameters(model):
    """[(name, shape)] of a model of MODELS."""
    shape = MODELS[model]
    return resnet_parameters(shape) if isinstance(shape, ResNetShape) else bert_parameters(shape)


def elements(table):
    return sum(math.prod(shape) for _, shape in table)


def as_csv(table, dtype="float32"):
    """parameter,shape,dtype lines as `gradwire import --parameters` reads them."""
    lines = ["parameter,shape,dtype"]
    lines += [f"{name},{'x'.join(map(str, shape))},{dtype}" for name, shape in table]
    return "\n".join(lines) + "\n"
