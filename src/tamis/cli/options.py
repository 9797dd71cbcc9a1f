"""The fields of a question → the options of a verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

from tamis.studies.clusters import cluster
from tamis.studies.question import Option, Question, chosen_name, flag, in_options, typed

Q = TypeVar("Q", bound=Question)

MORE = "More options"
# What most people need, by name: it means the same in every verb. Help lists all other options below these.
BASIC = frozenset(
    (
        "target", "task", "time", "time_limit", "n_features", "method", "methods", "penalty", "loss", "predict",
        "model", "label", "n", "n_nonzero", "atoms", "sigma", "rate", "column", "user", "item", "value", "top", "rank",
        "drop", "groups", "id", "out", "report", "json",
    )
)  # fmt: skip


def add_verb(app: typer.Typer, run: Callable[[Q], None]) -> None:
    """The verb that ``run(question)`` answers: an option for each field of the question, its docstring as help."""
    kind: type[Q] = get_type_hints(run)["question"]

    def verb(context: typer.Context, **values: Any) -> None:
        given = frozenset(name for name in values if _is_given(context, name))
        question = kind(**{name: values[name] for name in given}, given=given)
        try:
            with cluster(getattr(question, "dask", None)):
                run(question)
        except ValueError as error:  # an InputError, whose module brings scikit-learn
            if (argument := getattr(error, "argument", None)) is None:
                raise
            raise type(error)(in_options(str(error), argument, question)) from None

    types = get_type_hints(kind)
    parameters = [_parameter(name, types[name], *about) for name, about in kind.options().items()]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    verb.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]
    verb.__annotations__ = {p.name: p.annotation for p in (context, *parameters)}
    verb.__doc__ = run.__doc__
    app.command(kind.verb, cls=type("Verb", (VerbCommand,), {"question": kind}))(verb)


class VerbCommand(TyperCommand):
    """Looks registries up only when somebody reads the help, for they bring scikit-learn."""

    question: type[Question]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        options = self.question.options()
        for param in self.params:
            about = options[param.name][1] if param.name in options else None
            if about is not None and about.choices is not None:
                names = [typed(name, about) for name in about.names]
                param.help = about.help.replace("{choices}", ", ".join(names))  # type: ignore[attr-defined]
                param.metavar = about.metavar or f"<{'|'.join(names)}>"
        super().format_help(ctx, formatter)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _parameter(name: str, kind: Any, field: Field[Any], about: Option) -> inspect.Parameter:
    """What Typer makes an option of. The question fills in what is not given, so defaults are only shown."""
    required = field.default is MISSING and field.default_factory is MISSING
    default = field.default if not required and field.default not in (MISSING, None) else None
    shown: Any = about.shown or (default is not None and not isinstance(default, bool))
    settings: dict[str, Any] = {"help": about.help, "show_default": shown, "metavar": about.metavar}
    settings |= _parsing(about)
    if name not in BASIC and not required:
        settings["rich_help_panel"] = MORE
    if about.positional:
        info = typer.Argument(**settings)
    else:
        info = typer.Option(*(about.flags or (flag(name, about),)), **settings)
    if about.choices is not None or about.parse is not None:
        kind = str if field.default_factory is MISSING else list[str]  # what is typed; parsed one by one
        default = None if default is None else typed(default, about)
    if default is None and not required:
        kind = kind | None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind, info],
        default=inspect.Parameter.empty if required else default,
    )


def _parsing(about: Option) -> Mapping[str, Any]:
    """How the text that was typed becomes a value."""
    if about.choices is not None:
        return {"parser": _complaining(lambda text: chosen_name(text, about.names)), "metavar": about.metavar or "NAME"}
    return {} if about.parse is None else {"parser": _complaining(about.parse)}


def _complaining(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parsed(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parsed
