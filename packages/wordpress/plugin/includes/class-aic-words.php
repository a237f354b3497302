<?php
/**
 * Words.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Says the sentences of the plugin in the languages of the chat, wherever WordPress has no translation of its own: one file
 * for each language, whatever country the locale names.
 */
final class AIC_Words {

	/**
	 * A sentence in the language of the current user.
	 *
	 * @param string $translation What WordPress has for it.
	 * @param string $text        The sentence in English.
	 */
	public static function translate( string $translation, string $text ): string {
		return $translation === $text ? ( self::all()[ $text ] ?? $text ) : $translation;
	}

	/**
	 * The sentences for a script of the plugin, in the form of wp.i18n.
	 *
	 * @param string|false|null $json   What another filter has for it; null: nothing.
	 * @param string|false      $file   The file that WordPress would read.
	 * @param string            $handle Handle of the script.
	 * @param string            $domain Text domain.
	 * @return string|false|null
	 */
	public static function of_script( $json, $file, string $handle, string $domain ) {
		if ( null !== $json || 'backend-ai-chat' !== $domain || ! self::all() ) {
			return $json;
		}
		$words = array( '' => (object) array() ) + array_map( static fn( string $text ) => array( $text ), self::all() );
		return (string) wp_json_encode( array( 'locale_data' => array( 'messages' => $words ) ) );
	}

	/**
	 * The sentences of the plugin by their English ones; none where there is no file for the language.
	 *
	 * @return array<string, string>
	 */
	private static function all(): array {
		static $known = array();
		$language     = substr( get_user_locale(), 0, 2 );
		if ( ! isset( $known[ $language ] ) ) {
			$file               = __DIR__ . "/../languages/$language.json";
			$known[ $language ] = is_readable( $file ) ? (array) wp_json_file_decode( $file, array( 'associative' => true ) ) : array();
		}
		return $known[ $language ];
	}
}
