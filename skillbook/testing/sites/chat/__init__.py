"""A chat: virtualised chats, messages that load upwards, a composer in a shadow root, a login by code."""

from skillbook.testing.sites.chat.chat_app import CODE, PHONE, Chat

__all__ = ["CODE", "PHONE", "Chat"]
