<?php
/**
 * Page builders.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Detects posts that a page builder shows from its own data. Visitors do not see the content field of such a post.
 */
final class AIC_Builder {

	/**
	 * The name of the record field that contains the page builder.
	 */
	public const FIELD = 'builder';

	/**
	 * Page builders. The key is a constant that exists while the builder is active. Each entry has the builder's name,
	 * the meta key that marks its posts, and the value of that meta key; null means any value.
	 */
	private const KNOWN = array(
		'ELEMENTOR_VERSION'         => array( 'Elementor', '_elementor_edit_mode', 'builder' ),
		'FL_BUILDER_VERSION'        => array( 'Beaver Builder', '_fl_builder_enabled', '1' ),
		'BRICKS_VERSION'            => array( 'Bricks', '_bricks_editor_mode', 'bricks' ),
		'SITEORIGIN_PANELS_VERSION' => array( 'SiteOrigin Page Builder', 'panels_data', null ),
	);

	/**
	 * Returns the name of the page builder that shows a post; empty if there is none.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function of( WP_Post $post ): string {
		foreach ( self::active() as list( $name, $key, $value ) ) {
			$stored = get_post_meta( $post->ID, $key, true );
			if ( null === $value ? ! empty( $stored ) : $stored === $value ) {
				return $name;
			}
		}
		return '';
	}

	/**
	 * Returns the field of posts for the page builder, on sites with an active page builder.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function fields(): array {
		$field = array( 'label' => __( 'Page builder', 'backend-ai-chat' ), 'kind' => 'text', 'readOnly' => true );
		return self::active() ? array( self::FIELD => $field ) : array();
	}

	/**
	 * Returns the reason why the content of a post must not be changed or duplicated: a page builder shows its own data
	 * instead. Empty if there is no such reason.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function refusal( WP_Post $post ): string {
		$name = self::of( $post );
		return '' === $name ? '' : "$post->post_type $post->ID is built with $name: visitors see what $name has stored, and its field content is a copy that nobody sees. Tell the user to change or duplicate it in $name; its other fields can be changed here.";
	}

	/**
	 * Returns the active page builders.
	 *
	 * @return array<int, array{0: string, 1: string, 2: string|null}>
	 */
	private static function active(): array {
		return array_values( array_filter( self::KNOWN, 'defined', ARRAY_FILTER_USE_KEY ) );
	}
}
