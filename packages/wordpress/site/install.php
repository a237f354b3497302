<?php
/**
 * Installs WordPress with the plugin and a user per role, if it is not installed yet. Prints the ids of the users as
 * JSON. With `demo` as its second argument, a new site gets the pages of `demo.json` instead of WordPress's samples.
 */

define( 'WP_INSTALLING', true );
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

if ( ! is_blog_installed() ) {
	wp_install( 'Aurora', 'admin', 'admin@example.com', true, '', 'demo' );
	update_option( 'permalink_structure', '/%postname%/' );
	flush_rewrite_rules();
	activate_plugin( 'backend-ai-chat/backend-ai-chat.php' );
	foreach ( array( 'editor', 'author', 'contributor', 'subscriber' ) as $role ) {
		$id = wp_create_user( $role, 'demo', "$role@example.com" );
		wp_update_user( array( 'ID' => $id, 'display_name' => ucfirst( $role ), 'role' => $role ) );
	}
	if ( 'demo' === ( $argv[2] ?? '' ) ) {
		$all = array( 'post_type' => array( 'post', 'page' ), 'post_status' => 'any', 'numberposts' => -1 );
		foreach ( get_posts( $all ) as $sample ) {
			wp_delete_post( $sample->ID, true );
		}
		$author = get_user_by( 'login', 'editor' )->ID;
		$page   = array( 'post_type' => 'page', 'post_status' => 'publish', 'post_author' => $author );
		foreach ( wp_json_file_decode( __DIR__ . '/demo.json', array( 'associative' => true ) ) as $title => $texts ) {
			$blocks = preg_replace( '/^.*$/', "<!-- wp:paragraph -->\n<p>$0</p>\n<!-- /wp:paragraph -->", $texts );
			wp_insert_post( $page + array( 'post_title' => $title, 'post_content' => implode( "\n\n", $blocks ) ) );
		}
	}
}

echo wp_json_encode( wp_list_pluck( get_users( array( 'orderby' => 'ID' ) ), 'ID', 'user_login' ) );
