"""Decisions from joints: one decoder per metric."""

from collections.abc import Callable

from labelfield.decode.base import Decoder
from labelfield.decode.calibrated_f1 import CalibratedF1Decoder
from labelfield.decode.f1 import F1Decoder
from labelfield.decode.hamming import HammingDecoder
from labelfield.decode.jaccard import JaccardDecoder
from labelfield.decode.label_threshold import LabelThresholdDecoder
from labelfield.decode.subset import SubsetDecoder
from labelfield.decode.tilted_subset import TiltedSubsetDecoder
from labelfield.decode.top_k import TopKDecoder

__all__ = [
    "DECODERS",
    "CalibratedF1Decoder",
    "Decoder",
    "F1Decoder",
    "HammingDecoder",
    "JaccardDecoder",
    "LabelThresholdDecoder",
    "SubsetDecoder",
    "TiltedSubsetDecoder",
    "TopKDecoder",
    "resolve",
]

DECODERS: dict[str, Callable[[], Decoder]] = {
    "f1": F1Decoder,
    "hamming": HammingDecoder,
    "jaccard": JaccardDecoder,
    "subset": SubsetDecoder,
    "threshold_f1_macro": lambda: LabelThresholdDecoder(average="macro"),
    "threshold_f1_micro": lambda: LabelThresholdDecoder(average="micro"),
    "threshold_f1_samples": lambda: LabelThresholdDecoder(average="samples"),
    "tilted_subset": TiltedSubsetDecoder,
    "top_k": TopKDecoder,
}


def resolve(decoder: str | Decoder) -> Decoder:
    """Return the decoder of a short name, or the decoder itself if its parameters make sense.

    Examples
    --------
    >>> from labelfield.decode import resolve
    >>> resolve("f1")
    F1Decoder()
    """
    if isinstance(decoder, Decoder):
        decoder._validate_params()
        return decoder
    if isinstance(decoder, str) and decoder in DECODERS:
        return DECODERS[decoder]()
    raise ValueError(
        f"decoder must be one of {', '.join(sorted(DECODERS))} or a Decoder; got {decoder!r}."
    )
