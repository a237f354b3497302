<?php
/**
 * Stands in for the functions of ACF that the plugin calls, with their own names and signatures, where ACF is not there.
 */

if ( ! function_exists( 'acf_get_field_groups' ) ) {

	function acf_add_local_field_group( $field_group ) {
		$GLOBALS['acf_groups'][] = $field_group;
		return true;
	}

	function acf_get_field_groups( $filter = array() ) {
		$fits = static fn( $group ) => ( $filter['post_type'] ?? '' ) === $group['location'][0][0]['value'];
		return array_values( array_filter( $GLOBALS['acf_groups'] ?? array(), $fits ) );
	}

	function acf_get_fields( $parent ) {
		return $parent['fields'];
	}

	function acf_get_field( $id = 0 ) {
		return array_column( array_merge( ...array_column( $GLOBALS['acf_groups'], 'fields' ) ), null, 'key' )[ $id ] ?? false;
	}

	function get_field( $selector, $post_id = false, $format_value = true, $escape_html = false ) {
		$field = acf_get_field( $selector );
		return metadata_exists( 'post', $post_id, $field['name'] ) ? get_post_meta( $post_id, $field['name'], true ) : null;
	}

	function update_field( $selector, $value, $post_id = false ) {
		$field = acf_get_field( $selector );
		update_post_meta( $post_id, '_' . $field['name'], $selector );
		return (bool) update_post_meta( $post_id, $field['name'], wp_slash( $value ) );
	}
}
