"""What an expression in the configuration may be made of; everything else is refused."""

from __future__ import annotations

from sqlglot import exp

TRUTHS: tuple[type[exp.Expr], ...] = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Like,
    exp.ILike,
    exp.RegexpLike,
    exp.Escape,
    exp.StartsWith,
    exp.EndsWith,
    exp.Contains,
    exp.IsNan,
    exp.ArrayContains,
    exp.Boolean,
)

# May give a boolean or something else: only Spark knows, by the columns in them.
EITHER: tuple[type[exp.Expr], ...] = (exp.Column, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Bracket)

ARITHMETIC: tuple[type[exp.Expr], ...] = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe)

PARTS: tuple[type[exp.Expr], ...] = (
    exp.Paren,
    exp.Literal,
    exp.RawString,
    exp.HexString,
    exp.Null,
    exp.Identifier,
    exp.Cast,
    exp.TryCast,
    exp.DataType,
    exp.DataTypeParam,
    exp.Interval,
    exp.Var,
)

FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.Abs,
    exp.AddMonths,
    exp.ArraySize,
    exp.Ceil,
    exp.Concat,
    exp.ConcatWs,
    exp.DateAdd,
    exp.DateDiff,
    exp.DateSub,
    exp.DateTrunc,
    exp.Day,
    exp.DayOfMonth,
    exp.DayOfWeek,
    exp.DayOfYear,
    exp.Exp,
    exp.Extract,
    exp.Floor,
    exp.Greatest,
    exp.Hour,
    exp.Initcap,
    exp.LastDay,
    exp.Least,
    exp.Left,
    exp.Length,
    exp.Levenshtein,
    exp.Ln,
    exp.Lower,
    exp.Minute,
    exp.Month,
    exp.MonthsBetween,
    exp.Pad,
    exp.Pow,
    exp.Quarter,
    exp.RegexpExtract,
    exp.RegexpReplace,
    exp.RegexpSplit,
    exp.Replace,
    exp.Right,
    exp.Round,
    exp.Second,
    exp.Sign,
    exp.Split,
    exp.Sqrt,
    exp.StrPosition,
    exp.StrToTime,
    exp.Substring,
    exp.TimeStrToTime,
    exp.TimeToStr,
    exp.TimestampTrunc,
    exp.Translate,
    exp.Trim,
    exp.TsOrDsAdd,
    exp.TsOrDsDiff,
    exp.TsOrDsToDate,
    exp.Upper,
    exp.WeekOfYear,
    exp.Year,
)

# Functions that the parser has no class for, by their names in Spark.
TRUTH_NAMES = frozenset({"isnull", "isnotnull"})
NAMED = TRUTH_NAMES | {"cardinality", "octet_length", "pmod", "weekday"}

NODES = frozenset((*TRUTHS, *EITHER, *ARITHMETIC, *PARTS, *FUNCTIONS))

# The name in SQL → why it is refused, where there is more to say than that it is not known.
REASONS = {
    "clock": "it reads the clock, so the same row could pass today and fail tomorrow; compare columns of the row",
    "chance": "it gives another answer each time; {kind} must give the same one",
    "outside": "it looks outside the row",
    "code": "it runs code",
    "many": "it looks at more than one row; {kind} looks at each row alone",
    "query": "{kind} looks at one row, so it cannot hold a query",
}
VALUE_REASONS = {"clock": "it reads the clock, so the same row could become another one tomorrow; now() is the time of processing"}
REFUSED_NAMES = {
    **dict.fromkeys(("now", "curdate", "localtimestamp", "unix_timestamp", "current_timezone"), "clock"),
    **dict.fromkeys(("rand", "randn", "random", "uuid", "shuffle", "monotonically_increasing_id", "randstr", "uniform"), "chance"),
    **dict.fromkeys(("input_file_name", "input_file_block_start", "input_file_block_length", "spark_partition_id", "version"), "outside"),
    **dict.fromkeys(("user", "session_user", "current_user", "current_catalog", "current_database", "current_schema"), "outside"),
    **dict.fromkeys(("java_method", "reflect", "try_reflect"), "code"),
}
REFUSED_NODES: tuple[tuple[tuple[type[exp.Expr], ...], str], ...] = (
    ((exp.Query, exp.Subquery, exp.Exists, exp.Table, exp.SetOperation), "query"),
    ((exp.AggFunc, exp.Window), "many"),
    ((exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime), "clock"),
    ((exp.Rand, exp.Randn, exp.Uuid), "chance"),
)


def is_now(node: exp.Expr) -> bool:
    """Whether it asks for the time: in a value that is the time of processing, which is given and not read."""
    return isinstance(node, exp.CurrentTimestamp) or (
        isinstance(node, exp.Anonymous) and node.name.lower() == "now" and not node.expressions
    )
