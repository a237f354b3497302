<?php
/**
 * The choices of an administrator.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The part of the settings page on which an administrator allows abilities and meta fields for the assistant. The
 * administrator also chooses here if all data is deleted with the plugin. Nothing is allowed at first.
 */
final class AIC_Choices {

	/**
	 * The option group of the form.
	 */
	private const GROUP = 'backend-ai-chat-choices';

	/**
	 * The option that decides if all data of the plugin is deleted with the plugin.
	 */
	public const ERASE = 'aic_erase';

	/**
	 * Registers the options of the form in WordPress.
	 */
	public static function register(): void {
		register_setting( self::GROUP, AIC_Abilities::ALLOWED, array( 'sanitize_callback' => array( self::class, 'ticked' ) ) );
		register_setting( self::GROUP, AIC_Meta::NAMED, array( 'sanitize_callback' => array( self::class, 'named' ) ) );
		register_setting( self::GROUP, self::ERASE, array( 'sanitize_callback' => static fn( $value ) => $value ? '1' : '0' ) );
	}

	/**
	 * Returns the ticked abilities with the versions that the administrator has seen; abilities of inactive plugins
	 * stay allowed.
	 *
	 * @param mixed $value The value from the form.
	 * @return array<string, string>
	 */
	public static function ticked( $value ): array {
		$absent = array_diff_key( (array) get_option( AIC_Abilities::ALLOWED, array() ), AIC_Abilities::all() );
		return array_filter( (array) $value, static fn( $version ) => is_string( $version ) && 1 === preg_match( '/^[a-f0-9]{64}$/', $version ) ) + $absent;
	}

	/**
	 * Returns the meta keys in a text with one key per line.
	 *
	 * @param mixed $value The value from the form, or the list itself.
	 * @return array<int, string>
	 */
	public static function named( $value ): array {
		$lines = is_array( $value ) ? $value : explode( "\n", (string) $value );
		$keys  = array_map( static fn( $line ) => trim( sanitize_text_field( $line ) ), $lines );
		return array_values( array_unique( array_filter( $keys, static fn( $key ) => 1 === preg_match( AIC_Meta::KEY, $key ) ) ) );
	}

	/**
	 * Prints the form.
	 */
	public static function show(): void {
		echo '<hr><h2>' . esc_html__( 'What the assistant may use', 'backend-ai-chat' ) . '</h2>';
		echo '<form method="post" action="' . esc_url( admin_url( 'options.php' ) ) . '">';
		settings_fields( self::GROUP );
		echo '<table class="form-table" role="presentation">';
		if ( AIC_Abilities::exist() ) {
			self::row( __( 'Abilities', 'backend-ai-chat' ), array( self::class, 'abilities' ) );
		}
		self::row( __( 'Custom fields', 'backend-ai-chat' ), array( self::class, 'fields' ) );
		self::row( __( 'When the plugin is deleted', 'backend-ai-chat' ), array( self::class, 'erasing' ) );
		echo '</table>';
		submit_button( __( 'Save these choices', 'backend-ai-chat' ), 'secondary' );
		echo '</form>';
	}

	/**
	 * Prints a row of the form.
	 *
	 * @param string           $name  The title of the row.
	 * @param callable(): void $print A function that prints the content.
	 */
	private static function row( string $name, callable $print ): void {
		echo '<tr><th scope="row">' . esc_html( $name ) . '</th><td><fieldset><legend class="screen-reader-text">' . esc_html( $name ) . '</legend>';
		$print();
		echo '</fieldset></td></tr>';
	}

	/**
	 * Prints a checkbox with its label.
	 *
	 * @param string $name   The name of the field.
	 * @param string $value  The value of the field.
	 * @param bool   $is_set True if it is ticked.
	 * @param string $words  The label.
	 */
	private static function tick( string $name, string $value, bool $is_set, string $words ): void {
		printf(
			'<label><input type="checkbox" name="%s" value="%s"%s> %s</label>',
			esc_attr( $name ),
			esc_attr( $value ),
			checked( $is_set, true, false ),
			esc_html( $words )
		);
	}

	/**
	 * Prints a checkbox for each ability.
	 */
	public static function abilities(): void {
		echo '<p class="description">' . esc_html__( 'The assistant uses a ticked ability as its user, whose rights the ability checks itself. One that only reads runs at once; every other call waits for the approval of the user, who sees all that it sends.', 'backend-ai-chat' ) . '</p>';
		$known = (array) get_option( AIC_Abilities::ALLOWED, array() );
		foreach ( AIC_Abilities::all() as $name => $ability ) {
			$version = AIC_Abilities::version( $ability );
			$is_new  = isset( $known[ $name ] ) && $known[ $name ] !== $version;
			$notes   = array_filter(
				array(
					AIC_Abilities::is_readonly( $ability ) ? __( 'only reads', 'backend-ai-chat' ) : __( 'waits for approval', 'backend-ai-chat' ),
					$is_new ? __( 'changed since it was allowed: off until you allow it again', 'backend-ai-chat' ) : '',
				)
			);
			echo '<p>';
			self::tick( AIC_Abilities::ALLOWED . "[$name]", $version, AIC_Abilities::is_allowed( $ability ), $ability->get_label() );
			printf( ' <code>%s</code> (%s)<br><span class="description">%s</span></p>', esc_html( $name ), esc_html( implode( ', ', $notes ) ), esc_html( $ability->get_description() ) );
		}
	}

	/**
	 * Prints the field for the meta keys that the assistant gets as fields.
	 */
	public static function fields(): void {
		printf(
			'<textarea class="large-text code" rows="4" name="%s" aria-label="%s" spellcheck="false">%s</textarea>',
			esc_attr( AIC_Meta::NAMED ),
			esc_attr__( 'Custom fields', 'backend-ai-chat' ),
			esc_textarea( implode( "\n", AIC_Meta::named() ) )
		);
		echo '<p class="description">' . esc_html__( 'Keys of meta with one text each, one a line. The assistant reads and changes them for those who may edit the post. Fields of ACF, of Yoast SEO and of Rank Math are there without this.', 'backend-ai-chat' ) . '</p>';
	}

	/**
	 * Prints the checkbox for the deletion of all data with the plugin.
	 */
	public static function erasing(): void {
		self::tick( self::ERASE, '1', (bool) get_option( self::ERASE, '1' ), __( 'Delete all data of the chat on this site', 'backend-ai-chat' ) );
		echo '<p class="description">' . esc_html__( 'The connection, these choices, outcomes of changes and the marks of the assistant on revisions. Posts and revisions stay in any case.', 'backend-ai-chat' ) . '</p>';
	}
}
