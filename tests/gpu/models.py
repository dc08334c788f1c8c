"""The models in plain torch.nn, so that neither torchvision nor transformers is needed.

Import this only where torch is; parameter_tables.py has the shapes.
"""

import torch
from torch import nn

import parameter_tables
from parameter_tables import EXPANSION, MODELS, ResNetShape


class Bottleneck(nn.Module):
    """ResNet v1.5: the stride sits on the 3x3 convolution, as in torchvision."""

    def __init__(self, inputs, width, stride, downsample):
        super().__init__()
        outputs = EXPANSION * width
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        if downsample:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm2d(outputs))
        else:
            self.downsample = None

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + identity)


class ResNet(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.conv1 = nn.Conv2d(3, shape.width, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(shape.width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        inputs = shape.width
        for stage, count in enumerate(shape.blocks, 1):
            width = shape.width * 2 ** (stage - 1)
            blocks = []
            for block in range(count):
                stride = 2 if stage > 1 and block == 0 else 1
                blocks.append(Bottleneck(inputs, width, stride, downsample=block == 0))
                inputs = EXPANSION * width
            setattr(self, f"layer{stage}", nn.Sequential(*blocks))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, shape.classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class BertEmbeddings(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.word = nn.Embedding(shape.vocabulary, shape.hidden, padding_idx=0)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.token_type = nn.Embedding(2, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        types = torch.zeros_like(tokens)
        return self.dropout(
            self.norm(self.word(tokens) + self.token_type(types) + self.position(positions)))


class BertLayer(nn.Module):
    """Attention written out as matrix products and a softmax, as the models of the study ran it."""

    def __init__(self, shape):
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.hidden, shape.hidden)
        self.key = nn.Linear(shape.hidden, shape.hidden)
        self.value = nn.Linear(shape.hidden, shape.hidden)
        self.attention_output = nn.Linear(shape.hidden, shape.hidden)
        self.attention_norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.inner = nn.Linear(shape.hidden, shape.inner)
        self.output = nn.Linear(shape.inner, shape.hidden)
        self.output_norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def _split(self, x):
        batch, length, hidden = x.shape
        return x.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def forward(self, x):
        query, key, value = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = torch.matmul(query, key.transpose(-1, -2)) / query.shape[-1] ** 0.5
        mixed = torch.matmul(self.dropout(torch.softmax(scores, dim=-1)), value)
        mixed = mixed.transpose(1, 2).reshape(x.shape)
        x = self.attention_norm(x + self.dropout(self.attention_output(mixed)))
        inner = nn.functional.gelu(self.inner(x))
        return self.output_norm(x + self.dropout(self.output(inner)))


class Bert(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.embeddings = BertEmbeddings(shape)
        self.layers = nn.ModuleList(BertLayer(shape) for _ in range(shape.layers))
        self.pooler = nn.Linear(shape.hidden, shape.hidden)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(shape.hidden, shape.labels)

    def forward(self, tokens):
        x = self.embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.classifier(self.dropout(torch.tanh(self.pooler(x[:, 0]))))


def make_model(name):
    """The model on the CPU, checked against its parameter table."""
    shape = MODELS[name]
    model = ResNet(shape) if isinstance(shape, ResNetShape) else Bert(shape)
    found = [(parameter, tuple(tensor.shape)) for parameter, tensor in model.named_parameters()]
    if found != parameter_tables.parameters(name):
        raise RuntimeError(f"{name} does not have the parameters of its table")
    return model


def make_batch(name, batch, device):
    """(inputs, labels) of random values: the times do not depend on them."""
    shape = MODELS[name]
    generator = torch.Generator().manual_seed(0)
    if isinstance(shape, ResNetShape):
        inputs = torch.randn(batch, 3, shape.image, shape.image, generator=generator)
        labels = torch.randint(shape.classes, (batch,), generator=generator)
    else:
        inputs = torch.randint(1, shape.vocabulary, (batch, shape.positions), generator=generator)
        labels = torch.randint(shape.labels, (batch,), generator=generator)
    return inputs.to(device), labels.to(device)


def make_optimizer(name, model):
    if isinstance(MODELS[name], ResNetShape):
        return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    return torch.optim.AdamW(model.parameters(), lr=1e-5)
