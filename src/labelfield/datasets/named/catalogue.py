"""Public multi-label sets known by name: sizes, source, where OpenML keeps them."""

from typing import NamedTuple

__all__ = ["CATALOGUE", "TABLE_SIZES", "CatalogueEntry"]


class CatalogueEntry(NamedTuple):
    """Published sizes of a data set; openml_id is None where OpenML has no labelled copy.

    md5 is the checksum of OpenML's file, as its server states it and scikit-learn verifies it; None
    where we have not seen it.
    """

    instances: int
    features: int | None
    labels: int
    citation: str
    openml_id: int | None = None
    md5: str | None = None


# OpenML numbers: emotions (with its checksum) as in the responses recorded in scikit-learn's tests,
# yeast as in its examples, the others as used in public code. None was tried over a network here;
# after a download the sizes and the checksum below are checked, so that a wrong number or a changed
# file gives an error, not other data.
CATALOGUE = {
    "bibtex": CatalogueEntry(7395, 1836, 159, "Katakis et al., ECML/PKDD challenge 2008"),
    "birds": CatalogueEntry(645, None, 19, "Briggs et al., MLSP 2013", 41464),
    "cal500": CatalogueEntry(502, 68, 174, "Turnbull et al., IEEE TASLP 16(2), 2008"),
    "corel16k001": CatalogueEntry(13766, 500, 153, "Barnard et al., JMLR 3, 2003"),
    "corel5k": CatalogueEntry(5000, 499, 374, "Duygulu et al., ECCV 2002"),
    "delicious": CatalogueEntry(16105, 500, 983, "Tsoumakas et al., MMD 2008"),
    "emotions": CatalogueEntry(
        593,
        72,
        6,
        "Trohidis et al., ISMIR 2008",
        40589,
        md5="3b10ba5e2db8af24fa66cabeb05bb89b",
    ),
    "enron": CatalogueEntry(1702, None, 53, "Read et al., ICDM 2008", 41466),
    "flags": CatalogueEntry(194, 19, 7, "Goncalves et al., ICTAI 2013"),
    "genbase": CatalogueEntry(662, None, 27, "Diplaris et al., PCI 2005", 41467),
    "image": CatalogueEntry(2000, 135, 5, "Zhou and Zhang, NIPS 2007", 41468),
    "imdb": CatalogueEntry(120919, 1001, 28, "Read, PhD thesis, Waikato 2010"),
    "medical": CatalogueEntry(978, 1449, 45, "Pestian et al., BioNLP 2007"),
    "ohsumed": CatalogueEntry(13929, 1002, 23, "Joachims, ECML 1998"),
    "rcv1subset1": CatalogueEntry(6000, 47236, 101, "Lewis et al., JMLR 5, 2004"),
    "rcv1subset2": CatalogueEntry(6000, 47236, 101, "Lewis et al., JMLR 5, 2004"),
    "scene": CatalogueEntry(2407, 294, 6, "Boutell et al., Pattern Recognition 37(9), 2004", 41471),
    "tmc2007-500": CatalogueEntry(28596, 500, 22, "Srivastava and Zane-Ulman, IEEE Aerospace 2005"),
    "yeast": CatalogueEntry(2417, 103, 14, "Elisseeff and Weston, NIPS 2001", 40597),
}

TABLE_SIZES = {
    "adult": (48842, 14),
    "australian": (690, 14),
    "crx": (690, 15),
    "german": (1000, 20),
}
