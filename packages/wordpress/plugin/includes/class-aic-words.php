<?php
/**
 * The translations of the plugin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Translates the sentences of the plugin into the languages of the chat, if WordPress has no translation itself. There
 * is one file for each language, for all countries of a locale.
 */
final class AIC_Words {

	/**
	 * Returns a sentence in the language of the current user.
	 *
	 * @param string $translation The translation of WordPress.
	 * @param string $text        The sentence in English.
	 */
	public static function translate( string $translation, string $text ): string {
		return $translation === $text ? ( self::all()[ $text ] ?? $text ) : $translation;
	}

	/**
	 * Returns the sentences for a script of the plugin, in the format of wp.i18n.
	 *
	 * @param string|false|null $json   The result of another filter; null for none.
	 * @param string|false      $file   The file that WordPress would read.
	 * @param string            $handle The handle of the script.
	 * @param string            $domain The text domain.
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
	 * Returns the sentences of the plugin by the English sentence; empty if there is no file for the language.
	 *
	 * @return array<string, string>
	 */
	private static function all(): array {
		static $known         = array();
		$language             = substr( get_user_locale(), 0, 2 );
		$file                 = __DIR__ . "/../languages/$language.json";
		$known[ $language ] ??= is_readable( $file ) ? (array) wp_json_file_decode( $file, array( 'associative' => true ) ) : array();
		return $known[ $language ];
	}
}
