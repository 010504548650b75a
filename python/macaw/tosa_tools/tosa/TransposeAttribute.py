"""The attributes of TRANSPOSE."""
import numpy


class TransposeAttribute:
    def Init(self, buf, pos):
        """From the Bytes and Pos of an operator's Attribute()."""
        self._perms = buf["perms"]

    def Perms(self, j):
        return self._perms[j]

    def PermsLength(self):
        return len(self._perms)

    def PermsAsNumpy(self):
        return numpy.array(self._perms, dtype="<i4") if self._perms else 0  # as flatbuffers have an absent list
