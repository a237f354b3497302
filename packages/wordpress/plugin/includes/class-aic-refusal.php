<?php
/**
 * A refusal of the bridge.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

// phpcs:disable WordPress.Security.EscapeOutput.ExceptionNotEscaped -- A refusal is answered as JSON to the stage.

use BackendAiChat\Refused;

/**
 * A refusal with an English sentence for the model.
 */
final class AIC_Refusal extends Refused {

	/**
	 * Throws an error of WordPress as a refusal, with WordPress's own message.
	 *
	 * @param mixed $answer The result of a WordPress function.
	 * @throws self When the result is an error.
	 */
	public static function when_error( $answer ): void {
		if ( is_wp_error( $answer ) ) {
			self::with_words( $answer->get_error_message() );
		}
	}

	/**
	 * Throws a refusal with words for a person.
	 *
	 * @param string|WP_Error $words The words, which may have markup.
	 * @throws self Always.
	 */
	public static function with_words( $words ): never {
		self::when_error( $words );
		throw new self( 'WordPress refused it: ' . wp_strip_all_tags( $words ) );
	}
}
