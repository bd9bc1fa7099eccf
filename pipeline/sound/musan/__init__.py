"""MUSAN (openslr.org/17): fetched and unpacked, read as a directory, used as a noise bank."""

from pipeline.sound.musan.bank import MusanBank as MusanBank
