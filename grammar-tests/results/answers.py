#!/usr/bin/env python3
"""Writes the expected answers of the .slt files of this folder, from DuckDB and SQLite.

    python3 -m pip install duckdb
    python3 answers.py            fills in the answers of every file, in place
    python3 answers.py --check    changes nothing; fails if an answer is not what is committed

The files are the source: a query stands there with its sort mode, and this script writes the
letters of its column types and the rows under `----`. No answer ever comes from rocksalt.

What is put into DuckDB in place of rocksalt's dialect (the class Model):

- `SALTED` and `SALTED BY (...)`, where the harness puts the salting, SALT_BUCKETS and PRIMARY KEY
  are taken off CREATE TABLE, so that nullable and DESC keys are possible;
- UPSERT and INSERT go through a table of the new rows: of several with one key the last stays,
  rows whose key exists are updated in the named columns, the others are inserted. In it, CHAR
  loses its trailing spaces and -0.0 its sign, as they do when rocksalt writes;
- NULL sorts as the largest value, and an integer divided by an integer is an integer.

A file with the line `# answers: sqlite` gets them from SQLite, over the same rows: DuckDB compares
row values with a total order, while the standard (SQLite, PostgreSQL, rocksalt) knows NULL in
them. `statement error` records are written by hand and not executed here: they leave no trace.
Records under `skipif duckdb` are left alone, for what neither engine can say.

How a cell is written is the same in `results.rs`: NULL, (empty) for the empty string, true and
false, floats with twelve significant digits, decimals at their scale, ISO dates and times with a
T, binaries in hexadecimal; a line break in a string as \\n.
"""

import datetime
import decimal
import pathlib
import re
import sqlite3
import sys

import duckdb

FOLDER = pathlib.Path(__file__).parent
SHARED = "data.slt"


def cell(value):
    """One value as the files spell it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "%.12g" % value
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.date, datetime.datetime, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex() or "(empty)"
    if isinstance(value, str):
        return value.replace("\n", "\\n") or "(empty)"
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"no spelling for {value!r}")


def letter(type_name):
    """The letter of a column type: I integers, R floats and decimals, B, D dates and times, T."""
    if re.search(r"INT", type_name) and "INTERVAL" not in type_name:
        return "I"
    if re.match(r"DOUBLE|FLOAT|DECIMAL", type_name):
        return "R"
    if type_name == "BOOLEAN":
        return "B"
    if re.match(r"DATE|TIME", type_name):
        return "D"
    if type_name == '"NULL"' or type_name == "NULL":
        return "?"
    return "T"


class Table:
    """What the write model knows of a table."""

    def __init__(self, columns, key, chars, floats):
        self.columns, self.key, self.chars, self.floats = columns, key, chars, floats


def split_commas(text):
    """The parts between the commas outside parentheses and quotes."""
    parts, depth, quoted, current = [], 0, None, ""
    for c in text:
        if quoted:
            quoted = None if c == quoted else quoted
        elif c in "'\"":
            quoted = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
            continue
        current += c
    return parts + [current.strip()]


class Model:
    """DuckDB with rocksalt's statements on top."""

    def __init__(self):
        self.duck = duckdb.connect()
        self.duck.execute("SET default_null_order='nulls_last_on_asc_first_on_desc'")
        self.duck.execute("SET integer_division=true")
        self.duck.execute("SET timezone='UTC'")
        self.duck.execute("SET threads=1")
        self.tables = {}

    def query(self, sql):
        result = self.duck.execute(re.sub(r"\bLEFT (SEMI|ANTI) JOIN", r"\1 JOIN", sql))
        letters = "".join(letter(str(column[1])) for column in result.description)
        return letters, result.fetchall()

    def statement(self, sql):
        """Runs a statement; the rows that it affected, or None where nobody counts."""
        head = sql.split(None, 2)
        verb = head[0].upper()
        if verb == "CREATE":
            return self.create(sql)
        if verb in ("UPSERT", "INSERT"):
            return self.write(sql)
        if verb in ("UPDATE", "DELETE"):
            return self.duck.execute(sql).fetchone()[0]
        if verb in ("DROP", "TRUNCATE"):
            self.duck.execute(sql)
            return None
        raise ValueError(f"no model of {verb}")

    def create(self, sql):
        plain = re.sub(r"\)\s+(SALTED( BY \([^()]*\))?|SALT_BUCKETS\b.*)\s*$", ")", sql, flags=re.S)
        name, body = re.match(r"CREATE TABLE (\S+)\s*\((.*)\)\s*$", plain, re.S).groups()
        columns, key, chars, floats, out = [], [], [], [], []
        for part in split_commas(body):
            clause = re.match(r"(?:CONSTRAINT \S+ )?PRIMARY KEY \((.*)\)$", part, re.S)
            if clause:
                key = [p.split()[0] for p in split_commas(clause.group(1))]
                continue
            column = re.match(r'"[^"]*"|\S+', part).group(0)
            columns.append(column)
            if re.search(r"\bPRIMARY KEY\b", part):
                key = [column]
                part = re.sub(r"PRIMARY KEY( ASC| DESC)?", "", part)
            if re.search(r"\bCHAR\(", part):
                chars.append(column)
            if re.search(r"\b(DOUBLE|REAL)\b", part):
                floats.append(column)
            part = re.sub(r"\b(TINYINT|SMALLINT|INTEGER|BIGINT) UNSIGNED\b", r"U\1", part)
            part = re.sub(r"\bVARBINARY(\(\d+\))?", "BLOB", part)
            out.append(part)
        self.duck.execute(f"CREATE TABLE {name} ({', '.join(out)})")
        self.tables[name] = Table(columns, key, chars, floats)

    def write(self, sql):
        verb, name, columns, source = re.match(
            r"(UPSERT|INSERT) INTO (\w+)\s*(?:\(([^()]*)\))?\s*((?:VALUES|SELECT|WITH)\b.*)$", sql, re.S
        ).groups()
        table = self.tables[name]
        columns = split_commas(columns) if columns else table.columns
        names = ", ".join(columns)
        same = " AND ".join(f"{{0}}.{c} IS NOT DISTINCT FROM {{1}}.{c}" for c in table.key)
        run = self.duck.execute
        # Every key column takes part, so that one that is not named is compared as its default.
        work = ", ".join(dict.fromkeys(columns + table.key))
        run(f"CREATE TEMP TABLE incoming AS SELECT {work}, 0::BIGINT AS nth FROM {name} LIMIT 0")
        run(f"INSERT INTO incoming ({names}, nth) SELECT *, row_number() OVER () FROM ({source}) AS s")
        for column in table.chars:
            if column in columns:
                run(f"UPDATE incoming SET {column} = rtrim({column}, ' ')")
        for column in table.floats:
            if column in columns:
                run(f"UPDATE incoming SET {column} = 0 WHERE {column} = 0")
        run(
            "DELETE FROM incoming AS a WHERE EXISTS (SELECT 1 FROM incoming AS b"
            f" WHERE b.nth > a.nth AND {same.format('a', 'b')})"
        )
        count = run("SELECT count(*) FROM incoming").fetchone()[0]
        exists = f"EXISTS (SELECT 1 FROM {name} AS o WHERE {same.format('o', 'incoming')})"
        if verb == "INSERT":
            clashes = run(f"SELECT count(*) FROM incoming WHERE {exists}").fetchone()[0]
            assert clashes == 0, f"duplicate key: {sql}"
        run(f"CREATE TEMP TABLE fresh AS SELECT * FROM incoming WHERE NOT {exists} ORDER BY nth")
        values = [c for c in columns if c not in table.key]
        if values:
            sets = ", ".join(f"{c} = incoming.{c}" for c in values)
            run(f"UPDATE {name} SET {sets} FROM incoming WHERE {same.format(name, 'incoming')}")
        run(f"INSERT INTO {name} ({names}) SELECT {names} FROM fresh")
        run("DROP TABLE incoming")
        run("DROP TABLE fresh")
        return count

    def sqlite(self):
        """A SQLite database with the same rows; dates and times as ISO text."""
        lite = sqlite3.connect(":memory:")
        for name, table in self.tables.items():
            letters, rows = self.query(f"SELECT {', '.join(table.columns)} FROM {name}")
            affinity = {"I": "INTEGER", "B": "INTEGER", "R": "REAL", "D": "TEXT", "T": "TEXT"}
            columns = ", ".join(f"{c} {affinity[t]}" for c, t in zip(table.columns, letters))
            lite.execute(f"CREATE TABLE {name} ({columns})")
            small = lambda v: isinstance(v, (float, str, type(None))) or isinstance(v, int) and abs(v) < 2**63
            plain = lambda v: v if small(v) else cell(v)
            marks = ", ".join("?" * len(letters))
            lite.executemany(f"INSERT INTO {name} VALUES ({marks})", [[plain(v) for v in r] for r in rows])
        return lite


def sqlite_query(model, lite, sql):
    """The rows of SQLite under the column types of DuckDB: SQLite's truth values are numbers."""
    letters, _ = model.query(sql)
    rows = lite.execute(sql).fetchall()
    truth = {0: False, 1: True, None: None}
    return letters, [[truth[v] if t == "B" else v for v, t in zip(row, letters)] for row in rows]


def records(text):
    """The file as a list of blocks of lines; between two stands one blank line or more."""
    return [block.split("\n") for block in re.split(r"\n\s*\n", text.strip("\n"))]


def answer(lines, query, statement):
    """The record with its answer filled in."""
    start = 0
    while start < len(lines) and lines[start].startswith("#"):
        start += 1
    if start == len(lines) or lines[start].startswith(("skipif duckdb", "include", "control")):
        return lines
    head, body = lines[start].split(), lines[start + 1 :]
    if head[0] == "statement":
        if head[1] == "error":
            return lines
        count = statement("\n".join(body))
        if head[1] == "count":
            assert count == int(head[2]), f"{count} rows affected: {body}"
        return lines
    assert head[0] == "query", lines
    if "error" in head:
        return lines
    mode = [word for word in head[1:] if word in ("rowsort", "nosort")]
    sql = body[: body.index("----")] if "----" in body else body
    text = "\n".join(sql)
    letters, rows = query(text)
    assert mode == ["rowsort"] or re.search(r"\bORDER BY\b", text) or len(rows) == 1, "no order"
    cells = [[cell(value) for value in row] for row in rows]
    if mode == ["rowsort"]:
        cells.sort()
    head = " ".join(["query", letters] + mode)
    return lines[:start] + [head] + sql + ["----"] + [" ".join(row) for row in cells]


def answered(path, shared, failures):
    """The text of a file with its answers."""
    text = path.read_text()
    model = Model()
    if path.name != SHARED:
        for lines in shared:
            answer(lines, model.query, model.statement)
    query = model.query
    if "# answers: sqlite" in text:
        lite = model.sqlite()
        query = lambda sql: sqlite_query(model, lite, sql)
    blocks = []
    for lines in records(text):
        try:
            lines = answer(lines, query, model.statement)
        except Exception as error:
            failures.append(f"{path.name}: {error}\n" + "\n".join(lines))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def main():
    check = "--check" in sys.argv[1:]
    shared = records((FOLDER / SHARED).read_text())
    stale, failures = [], []
    for path in sorted(FOLDER.glob("*.slt")):
        text = answered(path, shared, failures)
        if text != path.read_text():
            stale.append(path.name)
            if not check:
                path.write_text(text)
    print(("stale: " if check else "written: ") + (", ".join(stale) or "none"))
    print("\n\n".join(failures))
    sys.exit(1 if failures or check and stale else 0)


if __name__ == "__main__":
    main()
