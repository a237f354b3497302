<?php
/**
 * The pairing of the site with a stage.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The content of a code that an administrator has pasted: the stage, and the keys that both sides derive from the
 * code.
 */
final class AIC_Pairing {

	public const CURRENT  = 'aic_pairing';
	public const PREVIOUS = 'aic_pairing_previous';

	/**
	 * Makes a pairing from its parts.
	 *
	 * @param string $origin Origin of the stage, without a slash at its end.
	 * @param string $secret The 32 bytes of the code.
	 */
	private function __construct( public readonly string $origin, private readonly string $secret ) {}

	/**
	 * The pairing of a code; null when it is none.
	 *
	 * @param string $code `aic2.<secret>.<origin>`, both in base64url.
	 */
	public static function of( string $code ): ?self {
		if ( ! preg_match( '/^aic2\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,400})$/', trim( $code ), $parts ) ) {
			return null;
		}
		$secret = self::bytes( $parts[1] );
		$origin = self::bytes( $parts[2] );
		if ( 32 !== strlen( $secret ) || ! preg_match( '#^https?://[^/\s?\#]+$#', $origin ) ) {
			return null;
		}
		return new self( $origin, $secret );
	}

	/**
	 * The pairing in use; null before the first one.
	 */
	public static function current(): ?self {
		return self::of( (string) get_option( self::CURRENT, '' ) );
	}

	/**
	 * The pairing before this one, so that a stage may change over. It is kept until the stage uses the new key, for
	 * a day at most. Null: there is none.
	 */
	public static function previous(): ?self {
		return self::of( (string) get_transient( self::PREVIOUS ) );
	}

	/**
	 * The pairing with this key: the one in use, or the one before.
	 *
	 * @param string $key_id Id of the key.
	 */
	public static function with_key( string $key_id ): ?self {
		$has   = static fn( ?self $pairing ) => $pairing && hash_equals( $pairing->key_id(), $key_id );
		$known = array_filter( array( self::current(), self::previous() ), $has );
		return reset( $known ) ?: null;
	}

	/**
	 * Ends the earlier pairing once the stage uses the key of this one.
	 */
	public function end_previous(): void {
		$previous = self::previous();
		if ( $previous && $previous->key_id() !== $this->key_id() ) {
			delete_transient( self::PREVIOUS );
		}
	}

	/**
	 * Keeps the code before for a while, when another one comes.
	 *
	 * @param mixed $before The code before.
	 * @param mixed $code   The other one.
	 */
	public static function keep_previous( $before, $code ): void {
		if ( '' === $code || '' === $before ) {
			delete_transient( self::PREVIOUS );
		} else {
			set_transient( self::PREVIOUS, $before, DAY_IN_SECONDS );
		}
	}

	/**
	 * The id of the keys, in hexadecimal.
	 */
	public function key_id(): string {
		return bin2hex( hash_hkdf( 'sha256', $this->secret, 8, 'aic-v2 key id', '' ) );
	}

	/**
	 * A key in hexadecimal (RFC 5869).
	 *
	 * @param string $use `bridge` signs requests of the stage, `exchange` statements about users.
	 */
	public function key( string $use ): string {
		return bin2hex( hash_hkdf( 'sha256', $this->secret, 32, "aic-v2 $use", '' ) );
	}

	/**
	 * The bytes of a text in base64url; empty when it is none.
	 *
	 * @param string $text The text.
	 */
	private static function bytes( string $text ): string {
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_decode
		return (string) base64_decode( strtr( $text, '-_', '+/' ), true );
	}
}
