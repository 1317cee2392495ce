"""What a store's files say, so that those of two stores can be compared."""

import re
import struct

MAGIC = 0x3564694372647843
HEADER, PAGE = 4096, 4096
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
CHECKSUM = re.compile(rb'"(crc|and)":"[0-9a-f]{8}"\}')


class Index:
    """An index as Sources/CreditStore/Index writes it."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        words = struct.unpack_from("=9Q", data)
        if words[0] != MAGIC:
            raise ValueError("not an index of a known layout: change store.py")
        account_capacity, slot_capacity, self.seed = words[1], words[2], words[3:5]
        pages = -(-account_capacity // 512) + -(-slot_capacity // 256)
        accounts = HEADER + -(-8 * pages // PAGE) * PAGE
        slots = accounts + -(-account_capacity // 512) * PAGE
        # Of two copies the one that was written last.
        record = max((struct.unpack_from("=13Q", data, offset) for offset in (128, 256)),
                     key=lambda record: record[0])
        self.length, count, self.record_count, self.anchor = record[3:7]
        self.accounts = struct.unpack_from("=%dQ" % count, data, accounts)
        self.slots = data[slots:slots + 16 * slot_capacity]
        self.slot_count = struct.unpack_from("=q", data, 384)[0]

    def entries(self, hashed):
        """The entries in order: pairs of a hash and a value, or values alone."""
        pairs = [pair for pair in struct.iter_unpack("=QQ", self.slots) if pair[1]]
        return sorted(pairs if hashed else [pair[1] for pair in pairs])

    def difference(self, other, hashed):
        """Returns how the other index differs; None if it is the same.

        `hashed`: the same keys must have the same hashes, if the indexes have one seed.
        """
        for name in ["length", "record_count", "accounts", "slot_count"] + ["anchor"] * hashed:
            if getattr(self, name) != getattr(other, name):
                return "index, %s: %s, then %s" % (
                    name.replace("_", " "), getattr(self, name), getattr(other, name))
        hashed = hashed and self.seed == other.seed
        if hashed and self.slots == other.slots:
            return None
        ours, theirs = self.entries(hashed), other.entries(hashed)
        if ours == theirs:
            return None
        lost = [pair for pair in ours if pair not in theirs]
        new = [pair for pair in theirs if pair not in ours]
        return "index: %d of %d entries differ, by key or line; old: lines at %s; new: at %s" % (
            max(len(lost), len(new)), len(ours), shown(lost), shown(new))


def shown(pairs):
    """Offsets in the journal, of keys or of accounts by number."""
    values = [pair[1] - 1 if isinstance(pair, tuple) else pair - 1 for pair in pairs]
    return ", ".join(map(str, values[:4])) or "none"


class Ids:
    """Numbers the ids that tools make at random, in the order of their appearance."""

    def __init__(self):
        self.numbers = {}

    def replace(self, data):
        def number(match):
            return b"<id %d>" % self.numbers.setdefault(match[0], len(self.numbers))
        return CHECKSUM.sub(rb"\1}", UUID.sub(number, data))
