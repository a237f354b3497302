<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A user of the CMS. */
final class Person
{
    /**
     * @param int|string $id Id of the user, which no other user ever gets.
     * @param bool $isAdmin True: the user sees users and facts, and may always use the chat.
     * @param list<int|string> $groups Those that count for the user, inherited ones too, the most important first.
     * @param string $lang Language of the user, for example `de`.
     * @param bool $disabled True: the user may not log in; `user` of the adapter answers null for them.
     */
    public function __construct(
        public readonly int|string $id,
        public readonly string $username,
        public readonly string $name,
        public readonly bool $isAdmin,
        public readonly array $groups,
        public readonly string $lang = 'en',
        public readonly bool $disabled = false,
    ) {
    }

    /** @return array<string, mixed> The user as the stage knows users. */
    public function actor(): array
    {
        return ['uid' => $this->id] + array_diff_key(get_object_vars($this), ['id' => 1, 'disabled' => 1]);
    }
}
