<?php
/**
 * A refusal of the bridge.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * A refusal of the bridge, with its code. A `tool.refused` has a sentence in English that the model reads.
 */
final class AIC_Refusal extends Exception {

	/**
	 * Makes a refusal.
	 *
	 * @param string $message Sentence in English, with a hint how to go on where the model reads it.
	 * @param string $reason  Code of the protocol.
	 */
	public function __construct( string $message, public readonly string $reason = 'tool.refused' ) {
		parent::__construct( $message );
	}

	/**
	 * Refuses, with a sentence that the model reads, what is so.
	 *
	 * @param mixed  $is_so   Whether it is; anything that counts as true.
	 * @param string $message The sentence.
	 * @throws self When it is so.
	 */
	public static function when( $is_so, string $message ): void {
		if ( $is_so ) {
			throw new self( $message );
		}
	}

	/**
	 * Refuses what WordPress refuses, in its words.
	 *
	 * @param mixed $answer What a function of WordPress has answered.
	 * @throws self When it is an error.
	 */
	public static function when_error( $answer ): void {
		if ( is_wp_error( $answer ) ) {
			throw new self( 'WordPress refused it: ' . $answer->get_error_message() );
		}
	}

	/**
	 * The HTTP status of the refusal.
	 */
	public function status(): int {
		return match ( $this->reason ) {
			'request.invalid'                  => 400,
			'user.unknown'                     => 403,
			'operation.unknown'                => 404,
			'tool.refused', 'answer.tooLarge' => 422,
			default                            => 401,
		};
	}

	/**
	 * The body of the refusal, as the protocol has it.
	 *
	 * @return array{error: array{code: string, message: string}}
	 */
	public function body(): array {
		return array( 'error' => array( 'code' => $this->reason, 'message' => $this->getMessage() ) );
	}
}
