"""LangGraph's checkpoints in SQLite; a disk that is full or read-only is a `StorageError`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from skillbook.agents.state.sealing import seal
from skillbook.storage import HOME, storing


class CheckpointSaver(AsyncSqliteSaver):
    """The checkpoints of one file."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        super().__init__(connection, serde=EncryptedSerializer(seal))
        self.path = path

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write a checkpoint."""
        with storing(self.path, HOME):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Write what a step gave, before its checkpoint is."""
        with storing(self.path, HOME):
            await super().aput_writes(config, writes, task_id, task_path)
