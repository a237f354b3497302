<?php
/**
 * A site with other plugins: a shop that has abilities, fields of ACF, Yoast SEO, Elementor, and a type without REST.
 */

define( 'WPSEO_VERSION', '25.0' );
define( 'ELEMENTOR_VERSION', '3.30' );

add_action(
	'init',
	static function () {
		register_post_type( 'product', array( 'public' => true, 'label' => 'Products', 'show_in_rest' => false, 'supports' => array( 'title', 'editor' ) ) );
		$field = static fn( $name, $type, $more = array() ) => $more + array( 'key' => "field_$name", 'name' => $name, 'label' => ucfirst( $name ), 'type' => $type );
		acf_add_local_field_group(
			array(
				'key'      => 'group_product',
				'title'    => 'Product',
				'location' => array( array( array( 'param' => 'post_type', 'operator' => '==', 'value' => 'product' ) ) ),
				'fields'   => array(
					$field( 'subtitle', 'text' ),
					$field( 'story', 'wysiwyg' ),
					$field( 'price', 'number' ),
					$field( 'sale', 'true_false' ),
					$field( 'colour', 'select', array( 'choices' => array( 'red' => 'Red', 'blue' => 'Blue' ) ) ),
					$field( 'leaflet', 'file' ),
					$field( 'hint', 'message' ),
				),
			)
		);
	}
);

// As Yoast SEO, which makes its own copy of both when a post is stored.
add_action( 'wp_insert_post', static fn( $id ) => update_option( 'shop_heard', get_post_meta( $id, '_yoast_wpseo_metadesc', true ) ) );

add_action( 'wp_abilities_api_categories_init', static fn() => wp_register_ability_category( 'shop', array( 'label' => 'Shop', 'description' => 'The shop.' ) ) );

add_action(
	'wp_abilities_api_init',
	static function () {
		$item = array( 'type' => 'string', 'description' => 'The item', 'required' => true );
		$take = array( 'type' => 'object', 'properties' => array( 'item' => $item ), 'additionalProperties' => false );
		$more = get_option( 'shop_takes_more' ) ? array( 'count' => array( 'type' => 'integer' ) ) : array();
		$add  = static fn( $name, $args ) => wp_register_ability( "shop/$name", $args + array( 'label' => ucfirst( $name ), 'description' => "Does $name.", 'category' => 'shop', 'permission_callback' => static fn() => current_user_can( 'edit_others_posts' ) ) );
		$read = array( 'annotations' => array( 'readonly' => true ) );
		$add( 'price', array( 'input_schema' => array( 'properties' => $take['properties'] + $more ) + $take, 'meta' => $read, 'execute_callback' => static fn( $input ) => array( 'item' => $input['item'], 'price' => 149, 'for' => wp_get_current_user()->user_login ) ) );
		$add( 'say', array( 'input_schema' => array( 'type' => 'string', 'minLength' => 2 ), 'meta' => $read, 'execute_callback' => static fn( $input ) => strtoupper( $input ) ) );
		$add( 'till', array( 'meta' => $read, 'execute_callback' => static fn() => null ) );
		$add(
			'order',
			array(
				'input_schema'     => $take,
				'execute_callback' => static function ( $input ) {
					if ( 'nothing' === $input['item'] ) {
						return new WP_Error( 'empty', 'The shelf is empty.' );
					}
					update_option( 'shop_orders', array( ...get_option( 'shop_orders', array() ), $input['item'] ) );
					return 'Ordered.';
				},
			)
		);
	}
);
