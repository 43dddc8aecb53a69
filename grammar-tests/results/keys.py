#!/usr/bin/env python3
"""Writes key_random.slt: predicates over key columns put together at random.

    python3 keys.py && python3 answers.py

The seed is fixed, so that the file changes only when this script does. The predicates are trees of
AND, OR and NOT over comparisons, BETWEEN, IN, LIKE and IS NULL of key columns with values in and
around those of the data, which is how an access path meets overlapping, empty and open ranges.
Each fourth asks for the first rows in key order or against it.
"""

import pathlib
import random

TABLES = {
    "events": {
        "host": ["''", "'a'", "'alpha'", "'b'", "'beta'", "'bz'", "'béta'", "'zeta'"],
        "ts": [
            f"TIMESTAMP '{t}'"
            for t in (
                "2024-02-01T00:00:00",
                "2024-02-02T12:00:59.999999",
                "2024-02-13T06:30:00",
                "2024-03-01T00:00:00",
                "2024-03-05T23:00:00",
                "2024-03-08T23:59:00",
            )
        ],
        "seq": ["-1", "0", "1", "2", "1.5"],
        "level": ["1", "2"],
    },
    "readings": {
        "device": ["-7", "1", "2", "3", "4", "5", "8", "2147483647"],
        "day": [f"DATE '2024-{d}'" for d in ("02-26", "02-27", "02-29", "03-01", "03-30", "06-01")],
    },
    "parts": {
        "a": ["''", "'a'", "'aa'", "'ab'", "'b'"],
        "b": ["-5", "0", "1", "7"],
        "c": ["1", "2"],
        "v": ["10", "20"],
    },
    "edges": {
        "src": ["'a'", "'b'", "'c'", "'d'", "'q'", "'x'"],
        "dst": ["'b'", "'c'", "'d'", "'e'", "'y'"],
    },
    "nums": {"n": ["-1", "0", "5", "6", "7.5", "14", "15", "29", "30", "31"]},
}
KEYS = {
    "events": "host, ts, seq",
    "readings": "device, day",
    "parts": "a, b, c",
    "edges": "src, dst",
    "nums": "n",
}
DIRECTIONS = {
    "events": ["host, ts DESC, seq", "host DESC, ts, seq DESC"],
    "readings": ["device DESC, day", "device, day DESC"],
    "parts": ["a, b DESC, c", "a DESC, b, c DESC"],
    "edges": ["src, dst", "src DESC, dst DESC"],
    "nums": ["n DESC", "n"],
}
NULLABLE = {"a", "b", "v", "level"}


def term(rng, columns):
    column = rng.choice(list(columns))
    values = columns[column]
    kind = rng.random()
    if kind < 0.2:
        return f"{column} = {rng.choice(values)}"
    if kind < 0.5:
        return f"{column} {rng.choice(['<', '<=', '>', '>=', '<>'])} {rng.choice(values)}"
    if kind < 0.65:
        low, high = rng.choice(values), rng.choice(values)
        if rng.random() < 0.8 and values.index(low) > values.index(high):
            low, high = high, low
        return f"{column} BETWEEN {low} AND {high}"
    if kind < 0.85:
        some = [rng.choice(values) for _ in range(rng.randint(1, len(values)))]
        if rng.random() < 0.1:
            some.append("NULL")
        return f"{column} {rng.choice(['IN', 'IN', 'IN', 'NOT IN'])} ({', '.join(some)})"
    if kind < 0.92 and column in ("host", "a", "src"):
        return f"{column} LIKE '{rng.choice(['b%', 'a%', 'be%', '%a', ''])}'"
    if column in NULLABLE:
        return f"{column} IS {rng.choice(['', 'NOT '])}NULL"
    return f"{rng.choice(values)} {rng.choice(['<', '>=', '='])} {column}"


def tree(rng, columns, depth):
    if depth == 0 or rng.random() < 0.2:
        return term(rng, columns)
    word = rng.choice([" AND ", " OR "])
    text = "(" + word.join(tree(rng, columns, depth - 1) for _ in range(rng.randint(2, 3))) + ")"
    return f"NOT {text}" if rng.random() < 0.1 else text


def main():
    rng = random.Random(2024)
    blocks = ["# Written by keys.py: random predicates over the keys."]
    for name, columns in TABLES.items():
        for i in range(14 if name == "nums" else 24):
            predicate = tree(rng, columns, 1 + i % 3)
            if predicate.startswith("(") and predicate.endswith(")") and " " in predicate:
                predicate = predicate[1:-1] if balanced(predicate[1:-1]) else predicate
            query = f"SELECT {KEYS[name]} FROM {name} WHERE {predicate}"
            if i % 4 == 3:
                order = DIRECTIONS[name][i // 4 % 2]
                blocks.append(f"query\n{query} ORDER BY {order} LIMIT {rng.randint(1, 9)}")
            else:
                blocks.append(f"query rowsort\n{query}")
    path = pathlib.Path(__file__).parent / "key_random.slt"
    path.write_text("\n\n".join(blocks) + "\n")


def balanced(text):
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return True


if __name__ == "__main__":
    main()
