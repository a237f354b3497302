<?php
/**
 * The pairing of the site with a stage.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Line;
use BackendAiChat\Pairing;

/**
 * The pairing codes that an administrator has pasted.
 */
final class AIC_Pairing {

	public const CURRENT  = 'aic_pairing';
	public const PREVIOUS = 'aic_pairing_previous';

	/**
	 * Returns the current pairing; null before the first pairing.
	 */
	public static function current(): ?Pairing {
		return Pairing::of( (string) get_option( self::CURRENT, '' ) );
	}

	/**
	 * Returns the previous pairing during a change of codes. It is kept until the stage uses the new key, but at most
	 * for a day. Null if there is none.
	 */
	public static function previous(): ?Pairing {
		return Pairing::of( (string) get_transient( self::PREVIOUS ) );
	}

	/**
	 * Returns the connection to the stage; without a pairing it accepts no key.
	 */
	public static function line(): Line {
		return new Line( array_values( array_filter( array( self::current(), self::previous() ) ) ), AIC_Bridge::base() );
	}

	/**
	 * Sends a request to the stage.
	 *
	 * @param string                $path    The path.
	 * @param array<string, mixed>  $body    The body.
	 * @param int                   $timeout The maximum time to wait, in seconds.
	 * @param array<string, string> $headers Further headers.
	 * @return array<string, mixed>|WP_Error
	 */
	public static function post( string $path, array $body, int $timeout, array $headers = array() ) {
		$headers += array( 'Content-Type' => 'application/json' );
		$request  = array( 'timeout' => $timeout, 'headers' => $headers, 'body' => (string) wp_json_encode( $body ) );
		return wp_remote_post( self::current()?->origin . $path, $request );
	}

	/**
	 * Deletes the previous pairing as soon as the stage uses the key of the current one.
	 *
	 * @param string $key_id The id of the key that the stage has used.
	 */
	public static function end_previous( string $key_id ): void {
		if ( self::previous() && self::current()?->keyId === $key_id ) {
			delete_transient( self::PREVIOUS );
		}
	}

	/**
	 * Keeps the previous code for a day when an administrator pastes a new one.
	 *
	 * @param mixed $before The previous code.
	 * @param mixed $code   The new code.
	 */
	public static function keep_previous( $before, $code ): void {
		if ( '' === $code || '' === $before ) {
			delete_transient( self::PREVIOUS );
		} else {
			set_transient( self::PREVIOUS, $before, DAY_IN_SECONDS );
		}
	}
}
