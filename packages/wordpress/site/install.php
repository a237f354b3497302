<?php
/**
 * Installs WordPress with the plugin and a user per role, where it is not installed yet, and prints their ids as JSON.
 * With `demo` as its second argument a new site gets pages to ask about.
 */

define( 'WP_INSTALLING', true );
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

$roles = array( 'editor', 'author', 'contributor', 'subscriber' );

if ( ! is_blog_installed() ) {
	wp_install( 'Aurora', 'admin', 'admin@example.com', true, '', 'demo' );
	update_option( 'permalink_structure', '/%postname%/' );
	flush_rewrite_rules();
	activate_plugin( 'backend-ai-chat/backend-ai-chat.php' );
	foreach ( $roles as $role ) {
		wp_insert_user(
			array(
				'user_login'   => $role,
				'user_pass'    => 'demo',
				'user_email'   => "$role@example.com",
				'display_name' => ucfirst( $role ),
				'role'         => $role,
			)
		);
	}
	if ( 'demo' === ( $argv[2] ?? '' ) ) {
		require __DIR__ . '/demo.php';
	}
}

$users = array();
foreach ( array( 'admin', ...$roles ) as $login ) {
	$users[ $login ] = get_user_by( 'login', $login )->ID;
}
echo wp_json_encode( $users );
