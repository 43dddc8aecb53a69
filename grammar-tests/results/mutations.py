#!/usr/bin/env python3
"""Writes dml_random.slt: tables with keys of every type, changed and queried at random.

    python3 mutations.py && python3 answers.py

The seed is fixed, so that the file changes only when this script does. Each table has one to
three key columns, ascending or descending, nullable or not; its statements put, change and remove
rows by predicates over the key, and ask for rows, pages in key order and groups.
"""

import pathlib
import random

VALUES = {
    "INTEGER": ["-2147483648", "-5", "0", "1", "7", "2147483647"],
    "BIGINT": ["-9223372036854775807", "-1", "0", "255", "256", "9223372036854775807"],
    "SMALLINT": ["-32768", "-1", "0", "1", "32767"],
    "TINYINT UNSIGNED": ["0", "1", "127", "128", "255"],
    "VARCHAR": ["''", "'a'", "'a b'", "'aa'", "'b'", "'it''s'", "'é'"],
    "CHAR(4)": ["''", "'a'", "'ab'", "'abcd'", "'z'"],
    "DATE": [f"DATE '{d}'" for d in ("0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31")],
    "TIMESTAMP": [
        f"TIMESTAMP '{t}'"
        for t in ("1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", "2024-02-29T12:00:00.000001", "9999-12-31T23:59:59")
    ],
    "TIME": ["TIME '00:00:00'", "TIME '12:30:00.000001'", "TIME '23:59:59.999999'"],
    "DECIMAL(6, 2)": ["-9999.99", "-0.01", "0", "0.01", "1.5", "9999.99"],
    "DOUBLE": ["-1e10", "-1.5", "0.0", "0.25", "1000000.5"],
    "BOOLEAN": ["FALSE", "TRUE"],
}


class Subject:
    """One table and the statements about it."""

    def __init__(self, rng, number, first):
        self.rng, self.name = rng, f"random{number}"
        types = list(VALUES)
        width = rng.randint(1, 3)
        self.key = [f"k{i}" for i in range(width)]
        self.type = {k: rng.choice(types) for k in self.key}
        # Each type is the first key column of one table.
        self.type["k0"] = first
        self.type["v"] = rng.choice(types)
        self.nullable = {k for k in self.key if width > 1 and rng.random() < 0.4} | {"v"}
        self.descending = {k for k in self.key if rng.random() < 0.5}

    def create(self):
        null = lambda c: " NULL" if c in self.nullable else ""
        columns = [f"{c} {t}{null(c)}" for c, t in self.type.items()]
        key = ", ".join(k + (" DESC" if k in self.descending else "") for k in self.key)
        by = " BY (" + self.rng.choice(self.key) + ")" if self.rng.random() < 0.3 else ""
        return f"CREATE TABLE {self.name} ({', '.join(columns)}, PRIMARY KEY ({key})) SALTED{by}"

    def value(self, column):
        if column in self.nullable and self.rng.random() < 0.2:
            return "NULL"
        return self.rng.choice(VALUES[self.type[column]])

    def upsert(self, rows):
        columns = list(self.type) if self.rng.random() < 0.8 else self.key
        row = lambda: "(" + ", ".join(self.value(c) for c in columns) + ")"
        values = ", ".join(row() for _ in range(rows))
        return f"UPSERT INTO {self.name} ({', '.join(columns)}) VALUES {values}"

    def term(self):
        rng = self.rng
        column = rng.choice(self.key) if rng.random() < 0.85 else "v"
        values = VALUES[self.type[column]]
        kind = rng.random()
        if kind < 0.25:
            return f"{column} = {rng.choice(values)}"
        if kind < 0.5:
            return f"{column} {rng.choice(['<', '<=', '>', '>=', '<>'])} {rng.choice(values)}"
        if kind < 0.65:
            low, high = sorted(rng.randrange(len(values)) for _ in range(2))
            return f"{column} BETWEEN {values[low]} AND {values[high]}"
        if kind < 0.85:
            some = ", ".join(rng.choice(values) for _ in range(rng.randint(1, 4)))
            return f"{column} IN ({some})"
        return f"{column} IS {rng.choice(['', 'NOT '])}NULL"

    def predicate(self):
        terms = [self.term() for _ in range(self.rng.randint(1, 3))]
        return self.rng.choice([" AND ", " OR "]).join(terms)

    def records(self):
        rng = self.rng
        yield f"statement ok\n{self.create()}"
        yield f"statement ok\n{self.upsert(30)}"
        columns = ", ".join(self.type)
        for _ in range(4):
            change = rng.choice(
                [
                    self.upsert(rng.choice([1, 4, 12])),
                    self.upsert(rng.choice([1, 4, 12])),
                    f"DELETE FROM {self.name} WHERE {self.predicate()}",
                    f"UPDATE {self.name} SET v = {self.value('v')} WHERE {self.predicate()}",
                ]
            )
            yield f"statement ok\n{change}"
            yield f"query rowsort\nSELECT {columns} FROM {self.name} WHERE {self.predicate()}"
            against = rng.random() < 0.5
            order = ", ".join(k + (" DESC" if (k in self.descending) != against else "") for k in self.key)
            page = f"LIMIT {rng.randint(1, 6)} OFFSET {rng.randint(0, 3)}"
            where = f"WHERE {self.predicate()} " if rng.random() < 0.5 else ""
            yield f"query\nSELECT {columns} FROM {self.name} {where}ORDER BY {order} {page}"
        group = rng.choice(self.key)
        yield f"query rowsort\nSELECT {group}, count(*), count(v) FROM {self.name} GROUP BY {group}"
        yield f"statement ok\nDROP TABLE {self.name}"


def main():
    rng = random.Random(58)
    blocks = ["# Written by mutations.py: tables with keys of every type, changed at random."]
    for number, first in enumerate(VALUES):
        blocks.extend(Subject(rng, number, first).records())
    path = pathlib.Path(__file__).parent / "dml_random.slt"
    path.write_text("\n\n".join(blocks) + "\n")


if __name__ == "__main__":
    main()
