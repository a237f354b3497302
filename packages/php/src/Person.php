<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A user of the CMS. */
final class Person
{
    /**
     * @param int|string $id The id of the user, which the CMS never gives to another user.
     * @param bool $isAdmin True if the user may see users and facts, and may always use the chat.
     * @param list<int|string> $groups The user's effective groups, with inherited ones, the most important first.
     * @param string $lang The language of the user, for example `de`.
     * @param bool $disabled True if the user may not log in; the adapter's `user` then returns null.
     */
    public function __construct(
        public readonly int|string $id,
        public readonly string $username,
        public readonly string $name,
        public readonly bool $isAdmin,
        public readonly array $groups,
        public readonly string $lang = 'en',
        public readonly bool $disabled = false,
    ) {}

    /** @return array<string, mixed> The user in the form of the bridge. */
    public function actor(): array
    {
        return ['uid' => $this->id] + array_diff_key(get_object_vars($this), ['id' => 1, 'disabled' => 1]);
    }
}
