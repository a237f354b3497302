<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A refusal with its error code of the bridge. A CMS throws it with an English sentence for the model: the reason, and
 * the next step.
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

    /** Throws a refusal with a sentence for the model if `$isSo` is true; `$reason` is its error code. */
    public static function when(mixed $isSo, string $sentence, string $reason = 'tool.refused'): void
    {
        if ($isSo) {
            throw new static($sentence, $reason);
        }
    }

    /** Returns the HTTP status; 401 if the signature is missing, invalid or expired. */
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
