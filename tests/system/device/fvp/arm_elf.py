"""Applications for Arm's platforms that tests write or build, and what the platforms print before them."""
import pathlib
import re
import struct
import subprocess

BARE_METAL = pathlib.Path(__file__).resolve().parent / "bare_metal"
COMPILER = "arm-none-eabi-gcc"
TERMINAL = r"telnetterminal(\d): Listening for serial connection on port (\d+)\n"


def without_terminals(text):
    return re.sub(TERMINAL, "", text)


def build(name, folder):
    application = folder / f"{name}.axf"
    subprocess.run([COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-mcpu=cortex-m55", "-mthumb", "-O1", "-ffreestanding",
                    "-nostdlib", "-fno-tree-loop-distribute-patterns", "-T", BARE_METAL / "link.ld", "-o", application,
                    BARE_METAL / f"{name}.c"], check=True)
    return application


def elf(code, address=0):
    """An ELF file for 32-bit Arm with the vectors and the code from an address on."""
    image = struct.pack("<II", 0x20001000, address + 9) + code
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 40, 1, 9, 52, 0, 0x05000200, 52, 32, 1, 0, 0, 0)
    return header + struct.pack("<IIIIIIII", 1, 84, address, address, len(image), len(image), 7, 4) + image


def prints(text):
    """Code that prints ASCII on UART 0 of SSE-300 or SSE-310, and goes on for ever."""
    # ldr r0, uart; movs r1, #16; str r1, [r0, #16]; movs r1, #1; str r1, [r0, #8]; adr r2, text;
    # next: ldrb r1, [r2]; adds r2, #1; cbz r1, end; str r1, [r0]; wait: ldr r1, [r0, #4]; lsls r1, r1, #31; bmi wait; b next;
    # end: b end; nop
    code = struct.pack("<16H", 0x4807, 0x2110, 0x6101, 0x2101, 0x6081, 0xA206, 0x7811, 0x3201, 0xB121, 0x6001, 0x6841, 0x07C9, 0xD4FC,
                       0xE7F7, 0xE7FE, 0xBF00)
    return code + struct.pack("<I", 0x59303000) + text.encode("ascii") + bytes(4 - len(text) % 4)


def intel_hex(address, elf_file):
    """The first segment of an ELF file of elf() as Intel HEX."""
    image = elf_file[84:]

    def record(kind, offset, data):
        body = struct.pack(">BHB", len(data), offset, kind) + data
        return f":{body.hex().upper()}{-sum(body) & 0xFF:02X}\n"

    lines = [record(4, 0, struct.pack(">H", address >> 16))]
    lines += [record(0, (address + i) & 0xFFFF, image[i:i + 16]) for i in range(0, len(image), 16)]
    return "".join(lines + [record(1, 0, b"")]).encode()
