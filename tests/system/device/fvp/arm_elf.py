"""Applications for Arm's platforms that tests write."""
import struct


def elf(code, address=0):
    """An ELF file for 32-bit Arm with the vectors and the code from an address on."""
    image = struct.pack("<II", 0x20001000, address + 9) + code
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 40, 1, 9, 52, 0, 0x05000200, 52, 32, 1, 0, 0, 0)
    return header + struct.pack("<IIIIIIII", 1, 84, address, address, len(image), len(image), 7, 4) + image
