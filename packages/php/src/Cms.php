<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A CMS as the bridge asks it, with every operation of the protocol. An adapter gets it from the kit; a CMS with languages,
 * a history or plans implements it.
 */
interface Cms
{
    /**
     * The CMS as `hello` names it, and its kinds of ids: `string` in `ids` (records) or `userIds` where they are texts.
     *
     * @return array{name: string, version: string, ids?: string, userIds?: string, outgoing?: bool}
     */
    public function greeting(): array;

    /** Has a user act in the operations that follow; false: there is none, or not now. */
    public function act(int|string $user): bool;

    /**
     * Answers an operation. `$question` has every member of its shape, null where it is absent. Throws Refused.
     *
     * @param array<string, mixed> $question
     */
    public function ask(string $operation, array $question): mixed;
}
