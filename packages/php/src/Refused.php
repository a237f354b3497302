<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A refusal, with its code of the bridge. As the CMS throws it, it has an English sentence that the model reads: the reason,
 * and how to go on.
 */
class Refused extends \Exception
{
    private const STATUSES = [
        'request.invalid' => 400,
        'user.unknown' => 403,
        'operation.unknown' => 404,
        'tool.refused' => 422,
        'answer.tooLarge' => 422,
    ];

    final public function __construct(string $sentence, public readonly string $reason = 'tool.refused')
    {
        parent::__construct($sentence);
    }

    /** Refuses, with a sentence that the model reads, what is so. */
    public static function when(mixed $isSo, string $sentence): void
    {
        if ($isSo) {
            throw new static($sentence);
        }
    }

    /** The HTTP status; 401 where the request is not signed, or not any more. */
    public function status(): int
    {
        return self::STATUSES[$this->reason] ?? 401;
    }

    /** @return array{error: array{code: string, message: string}} The body of the answer. */
    public function body(): array
    {
        return ['error' => ['code' => $this->reason, 'message' => $this->getMessage()]];
    }
}
