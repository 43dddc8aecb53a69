#!/usr/bin/env python3
"""Asks DuckDB the queries of this folder and writes what it answers.

    python3 -m pip install duckdb
    python3 answers.py FOLDER ANSWERS

FOLDER holds flights.csv, weather.csv, planes.csv, airports.csv and airlines.csv, each perhaps
compressed as .csv.gz, and derived.sql makes the other tables; ANSWERS is where a CSV file for each query goes. `answers/` is of the whole of
nycflights13, `answers-sample/` of `../data`. Of schema.sql DuckDB gets everything but the salting.

The CSV is that of `rocksalt --format csv`: a line of column names, NULL, times with a T, floats in
the shortest form that reads back. NULL sorts as the largest value, and an integer divided by an
integer is an integer.
"""

import csv
import datetime
import pathlib
import re
import sys

import duckdb

HERE = pathlib.Path(__file__).parent


def cell(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return str(value)


def load(folder):
    duck = duckdb.connect()
    duck.execute("SET default_null_order='nulls_last_on_asc_first_on_desc'")
    duck.execute("SET integer_division=true")
    schema = (HERE / "schema.sql").read_text()
    duck.execute(re.sub(r"\bSALT_BUCKETS = \d+|\bDESC\b", "", schema))
    for (table,) in duck.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        path = folder / f"{table}.csv"
        path = path if path.exists() else folder / f"{table}.csv.gz"
        if not path.exists():
            continue
        names = duck.execute(f"SELECT * FROM read_csv('{path}', all_varchar=true) LIMIT 0").description
        columns = ", ".join(name for name, *_ in names)
        duck.execute(
            f"INSERT INTO {table} ({columns}) SELECT {columns}"
            f" FROM read_csv('{path}', all_varchar=true, header=true, nullstr='NA')"
        )
    derived = (HERE / "derived.sql").read_text()
    duck.execute(derived.replace("UPSERT INTO", "INSERT INTO"))
    return duck


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    duck = load(pathlib.Path(sys.argv[1]))
    answers = pathlib.Path(sys.argv[2])
    answers.mkdir(exist_ok=True)
    for query in sorted((HERE / "queries").glob("*.sql")):
        result = duck.execute(query.read_text())
        with open(answers / f"{query.stem}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(column[0] for column in result.description)
            writer.writerows([cell(value) for value in row] for row in result.fetchall())


if __name__ == "__main__":
    main()
