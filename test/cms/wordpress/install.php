<?php
/**
 * Installs WordPress with the plugin and the users of the tests, and prints their ids as JSON.
 */

define( 'WP_INSTALLING', true );
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

wp_install( 'Aurora', 'admin', 'admin@example.com', true, '', 'demo' );
update_option( 'permalink_structure', '/%postname%/' );
flush_rewrite_rules();
activate_plugin( 'backend-ai-chat/backend-ai-chat.php' );

$users = array( 'admin' => 1 );
foreach ( array( 'editor', 'author', 'contributor', 'subscriber' ) as $role ) {
	$users[ $role ] = wp_insert_user(
		array(
			'user_login'   => $role,
			'user_pass'    => 'demo',
			'user_email'   => "$role@example.com",
			'display_name' => ucfirst( $role ),
			'role'         => $role,
		)
	);
}
echo wp_json_encode( $users );
