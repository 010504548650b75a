"""What a result says of itself in a console: few lines, no arrays."""


def arrays(names, values, most=3):
    """'logits int8 [1, 10], ... and 2 more'."""
    texts = [f"{name} {value.dtype} {list(value.shape)}" for name, value in zip(names[:most], values)]
    if len(values) > most:
        texts.append(f"... and {len(values) - most} more")
    return ", ".join(texts) or "none"
