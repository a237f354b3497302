<?php
/**
 * The fields of posts that WordPress itself does not know.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Fields of posts that other plugins store in meta: ACF fields through ACF's own functions, title and description for
 * search engines, and meta keys that an administrator has listed. Users who may edit a post may read and change them.
 */
final class AIC_Meta {

	/**
	 * The option with the meta keys that an administrator has listed.
	 */
	public const NAMED = 'aic_meta';

	/**
	 * The pattern of a meta key that an administrator may list.
	 */
	public const KEY = '/^[A-Za-z0-9_.:-]{1,58}$/';

	/**
	 * The meta keys for title and description of each search engine plugin, by a constant of the plugin.
	 */
	private const SEO = array(
		'WPSEO_VERSION'     => array( '_yoast_wpseo_title', '_yoast_wpseo_metadesc' ),
		'RANK_MATH_VERSION' => array( 'rank_math_title', 'rank_math_description' ),
	);

	/**
	 * The kinds of the ACF types that can be changed; all other types are read-only.
	 */
	private const KINDS = array(
		'text'         => 'text',
		'email'        => 'text',
		'url'          => 'text',
		'textarea'     => 'longtext',
		'wysiwyg'      => 'html',
		'number'       => 'number',
		'range'        => 'number',
		'true_false'   => 'boolean',
		'select'       => 'select',
		'radio'        => 'select',
		'button_group' => 'select',
	);

	/**
	 * The ACF types without a value, or with a value that must not be read.
	 */
	private const WITHOUT = array( 'accordion', 'message', 'output', 'password', 'separator', 'tab' );

	/**
	 * Returns the meta keys that an administrator has listed.
	 *
	 * @return array<int, string>
	 */
	public static function named(): array {
		return (array) get_option( self::NAMED, array() );
	}

	/**
	 * Returns the meta fields of a post type; `from` tells which plugin or list a field comes from.
	 *
	 * @param string $type Name of the post type.
	 * @return array<string, array<string, mixed>> The members of each field by its name.
	 */
	public static function fields( string $type ): array {
		static $known     = array();
		$known[ $type ] ??= 'attachment' === $type ? array() : self::of_search() + self::of_acf( $type ) + self::of_keys();
		return $known[ $type ];
	}

	/**
	 * Returns a field for each meta key that an administrator has listed.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private static function of_keys(): array {
		$fields = array();
		foreach ( self::named() as $key ) {
			$fields[ "meta.$key" ] = array( 'label' => $key, 'kind' => 'longtext', 'meta' => $key, 'from' => 'key' );
		}
		return $fields;
	}

	/**
	 * Returns the fields for title and description of the first active search engine plugin.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private static function of_search(): array {
		$active = array_filter( self::SEO, 'defined', ARRAY_FILTER_USE_KEY );
		if ( ! $active ) {
			return array();
		}
		list( $title, $description ) = reset( $active );
		return array(
			'seo_title'        => array( 'label' => __( 'Title for search engines', 'backend-ai-chat' ), 'kind' => 'text', 'meta' => $title, 'from' => 'key' ),
			'meta_description' => array( 'label' => __( 'Description for search engines', 'backend-ai-chat' ), 'kind' => 'text', 'meta' => $description, 'from' => 'key' ),
		);
	}

	/**
	 * Returns the ACF fields of a type.
	 *
	 * @param string $type Name of the post type.
	 * @return array<string, array<string, mixed>>
	 */
	private static function of_acf( string $type ): array {
		$fields = array();
		foreach ( function_exists( 'acf_get_field_groups' ) ? acf_get_field_groups( array( 'post_type' => $type ) ) : array() as $group ) {
			foreach ( acf_get_fields( $group ) as $field ) {
				if ( preg_match( self::KEY, $field['name'] ) && ! in_array( $field['type'], self::WITHOUT, true ) ) {
					$kind    = empty( $field['multiple'] ) ? ( self::KINDS[ $field['type'] ] ?? null ) : null;
					$members = array( 'label' => $field['label'], 'kind' => $kind ?? 'longtext', 'readOnly' => null === $kind, 'required' => ! empty( $field['required'] ), 'meta' => $field['name'], 'from' => 'acf', 'acf' => $field['key'] );
					$options = 'select' === $kind ? array( 'options' => array_map( 'strval', array_keys( (array) ( $field['choices'] ?? array() ) ) ) ) : array();

					$fields[ "acf.{$field['name']}" ] = $members + $options;
				}
			}
		}
		return $fields;
	}

	/**
	 * Returns the stored value of a meta field; null if it is not a simple value.
	 *
	 * @param int                  $post_id The post; 0 for a new post.
	 * @param array<string, mixed> $field   The field.
	 * @return mixed
	 */
	public static function value( int $post_id, array $field ) {
		if ( 'acf' !== $field['from'] ) {
			$stored = $post_id > 0 ? get_post_meta( $post_id, $field['meta'], true ) : '';
			return is_scalar( $stored ) ? (string) $stored : null;
		}
		$stored = $post_id > 0 ? get_field( $field['acf'], $post_id, false ) : null;
		return match ( true ) {
			$field['readOnly']           => $stored,
			'boolean' === $field['kind'] => (bool) $stored,
			'number' === $field['kind']  => is_numeric( $stored ) ? $stored + 0 : null,
			default                      => is_scalar( $stored ) ? (string) $stored : '',
		};
	}

	/**
	 * Returns a wanted value in its stored form.
	 *
	 * @param WP_Post|null         $post  The post; null for a new post.
	 * @param array<string, mixed> $field The field.
	 * @param mixed                $value The wanted value.
	 * @return mixed
	 * @throws AIC_Refusal When the value is not valid.
	 */
	public static function wanted( ?WP_Post $post, array $field, $value ) {
		$name = $field['name'];
		AIC_Refusal::when( $post && null === self::value( $post->ID, $field ) && 'number' !== $field['kind'], "The field $name holds more than one text: it can be changed in WordPress alone." );
		$wanted = match ( $field['kind'] ) {
			'boolean' => (bool) $value,
			'number'  => is_numeric( $value ) ? $value + 0 : null,
			default   => is_string( $value ) ? self::cleaned( $field, $value ) : '',
		};
		$is_empty = null === $wanted || '' === $wanted;
		AIC_Refusal::when( $is_empty ? null !== $value && '' !== $value && ( 'number' === $field['kind'] || ! is_string( $value ) ) : 'boolean' === $field['kind'] && ! is_bool( $value ), "The field $name does not take such a value." );
		AIC_Refusal::when( $is_empty && $field['required'], "The field $name is required." );
		AIC_Refusal::when( ! $is_empty && isset( $field['options'] ) && ! in_array( $wanted, $field['options'], true ), "The field $name takes one of: " . implode( ', ', $field['options'] ?? array() ) . '.' );
		if ( 'acf' === $field['from'] && function_exists( 'acf_validate_value' ) && ! $is_empty ) {
			AIC_Refusal::when( ! acf_validate_value( $wanted, acf_get_field( $field['acf'] ), $name ), "ACF refuses this value of the field $name." );
		}
		return $wanted;
	}

	/**
	 * Returns a text in its stored form.
	 *
	 * @param array<string, mixed> $field The field.
	 * @param string               $text  The text.
	 */
	private static function cleaned( array $field, string $text ): string {
		$text = 'text' === $field['kind'] ? sanitize_text_field( $text ) : $text;
		$text = current_user_can( 'unfiltered_html' ) ? $text : wp_kses_post( $text );
		return 'acf' === $field['from'] ? $text : (string) sanitize_meta( $field['meta'], $text, 'post' );
	}

	/**
	 * Returns the member `meta_input` of a post's row: the values of fields that are plain meta keys. Plugins that run
	 * when a post is stored find the values in this row.
	 *
	 * @param array<string, array<string, mixed>> $fields Fields by name.
	 * @param array<string, mixed>                $stored Values by field.
	 * @return array<string, mixed>
	 */
	public static function row( array $fields, array $stored ): array {
		$meta = array();
		foreach ( array_intersect_key( $fields, $stored ) as $name => $field ) {
			if ( 'key' === ( $field['from'] ?? '' ) ) {
				$meta[ $field['meta'] ] = $stored[ $name ];
			}
		}
		return $meta ? array( 'meta_input' => $meta ) : array();
	}

	/**
	 * Stores the value of an ACF field; the row of the post stores other meta fields. Returns false if the field is no
	 * meta field.
	 *
	 * @param int                  $post_id The post.
	 * @param array<string, mixed> $field   The field.
	 * @param mixed                $value   The value.
	 */
	public static function store( int $post_id, array $field, $value ): bool {
		if ( 'acf' === ( $field['from'] ?? '' ) ) {
			update_field( $field['acf'], is_bool( $value ) ? (int) $value : $value, $post_id );
		}
		return isset( $field['from'] );
	}
}
