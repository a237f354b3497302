<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A CMS with every operation of the protocol, for the bridge. The kit implements it for an adapter; a CMS with
 * languages, a history or plans implements it itself.
 */
interface Cms
{
    /**
     * Returns the CMS's data for the operation `hello`. `ids` is `string` if the ids of records are texts; `userIds` is
     * `string` if the ids of users are texts.
     *
     * @return array{name: string, version: string, ids?: string, userIds?: string, outgoing?: bool}
     */
    public function greeting(): array;

    /**
     * Sets the user who acts in the following operations; returns false if the user does not exist or may not act now.
     */
    public function act(int|string $user): bool;

    /**
     * Answers an operation. `$question` has all keys of the operation; a key that the caller did not send is null.
     * Throws Refused.
     *
     * @param array<string, mixed> $question
     */
    public function ask(string $operation, array $question): mixed;
}
