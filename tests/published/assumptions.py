"""What both sets take for granted of a V100."""

SLOWDOWN = 1.07


def slowdown_fields():
    return [("overlap_slowdown", SLOWDOWN),
            ("overlap_slowdown_source", "the V100's profile that comes with gradwire, as simulate takes "
                                        "it: recalled, band 1.04 to 1.1")]
