<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The content of a pairing code: the origin of a stage, and the keys that both sides derive from it. */
final class Pairing
{
    public readonly string $keyId;
    /** The key that signs requests of the stage. */
    public readonly string $bridgeKey;
    /** The key that signs statements about users. */
    public readonly string $exchangeKey;

    private function __construct(public readonly string $origin, string $secret)
    {
        $derived = static fn (string $info, int $bytes) => bin2hex(hash_hkdf('sha256', $secret, $bytes, "aic-v2 $info"));
        $this->keyId = $derived('key id', 8);
        $this->bridgeKey = $derived('bridge', 32);
        $this->exchangeKey = $derived('exchange', 32);
    }

    /** Returns the pairing of a code, `aic2.<secret>.<origin>`; null if the code is not a pairing code. */
    public static function of(string $code): ?self
    {
        if (!preg_match('/^aic2\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,400})$/', trim($code), $parts)) {
            return null;
        }
        $decoded = static fn (string $text) => (string) base64_decode(strtr($text, '-_', '+/'), true);
        [$secret, $origin] = array_map($decoded, array_slice($parts, 1));
        $isWhole = strlen($secret) === 32 && preg_match('~^https?://[^/\s?#]+$~', $origin);
        return $isWhole ? new self($origin, $secret) : null;
    }
}
