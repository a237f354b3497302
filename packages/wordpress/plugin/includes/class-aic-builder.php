<?php
/**
 * Page builders.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Tells which posts a page builder shows to visitors from data of its own. The content of such a post is a copy that nobody sees.
 */
final class AIC_Builder {

	/**
	 * The field of a record that names the page builder.
	 */
	public const FIELD = 'builder';

	/**
	 * Page builders by a constant that is there while one is active: its name, and the meta of a post that it shows. Null: any value.
	 */
	private const KNOWN = array(
		'ELEMENTOR_VERSION'         => array( 'Elementor', '_elementor_edit_mode', 'builder' ),
		'FL_BUILDER_VERSION'        => array( 'Beaver Builder', '_fl_builder_enabled', '1' ),
		'BRICKS_VERSION'            => array( 'Bricks', '_bricks_editor_mode', 'bricks' ),
		'SITEORIGIN_PANELS_VERSION' => array( 'SiteOrigin Page Builder', 'panels_data', null ),
	);

	/**
	 * The name of the page builder that shows a post; empty: none does.
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
	 * The field of posts that names it, on sites with a page builder.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function fields(): array {
		$field = array( 'label' => __( 'Page builder', 'backend-ai-chat' ), 'kind' => 'text', 'readOnly' => true );
		return self::active() ? array( self::FIELD => $field ) : array();
	}

	/**
	 * Why the content of a post is neither changed nor duplicated here: a page builder shows something else. Empty: none does.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function refusal( WP_Post $post ): string {
		$name = self::of( $post );
		return '' === $name ? '' : "$post->post_type $post->ID is built with $name: visitors see what $name has stored, and its field content is a copy that nobody sees. Tell the user to change or duplicate it in $name; its other fields can be changed here.";
	}

	/**
	 * The page builders that are active.
	 *
	 * @return array<int, array{0: string, 1: string, 2: string|null}>
	 */
	private static function active(): array {
		return array_values( array_filter( self::KNOWN, 'defined', ARRAY_FILTER_USE_KEY ) );
	}
}
