<?php
/**
 * Stands in for the Abilities API of WordPress 6.9, with its own names and signatures, where WordPress is older.
 */

if ( ! function_exists( 'wp_register_ability' ) ) {

	class WP_Ability {
		public function __construct( protected string $name, protected array $args ) {}

		public function get_name(): string {
			return $this->name;
		}

		public function get_label(): string {
			return $this->args['label'];
		}

		public function get_description(): string {
			return $this->args['description'];
		}

		public function get_input_schema(): array {
			return $this->args['input_schema'] ?? array();
		}

		public function get_meta(): array {
			return $this->args['meta'] ?? array();
		}

		public function validate_input( $input = null ) {
			$schema = $this->get_input_schema();
			$valid  = $schema ? rest_validate_value_from_schema( $input, $schema, 'input' ) : null === $input;
			return true === $valid ? true : new WP_Error( 'ability_invalid_input', is_wp_error( $valid ) ? $valid->get_error_message() : 'It takes no input.' );
		}

		public function check_permissions( $input = null ) {
			return ( $this->args['permission_callback'] )( ...( $this->get_input_schema() ? array( $input ) : array() ) );
		}

		public function execute( $input = null ) {
			$valid = $this->validate_input( $input );
			if ( is_wp_error( $valid ) ) {
				return $valid;
			}
			if ( true !== $this->check_permissions( $input ) ) {
				return new WP_Error( 'ability_invalid_permissions', sprintf( 'Ability "%s" does not have necessary permission.', $this->name ) );
			}
			return ( $this->args['execute_callback'] )( ...( $this->get_input_schema() ? array( $input ) : array() ) );
		}
	}

	function wp_get_abilities( array $args = array() ): array {
		global $registered_abilities;
		if ( null === $registered_abilities ) {
			$registered_abilities = array();
			do_action( 'wp_abilities_api_categories_init' );
			do_action( 'wp_abilities_api_init' );
		}
		return $registered_abilities;
	}

	function wp_register_ability( string $name, array $args ): ?WP_Ability {
		global $registered_abilities;
		$registered_abilities[ $name ] = new WP_Ability( $name, $args );
		return $registered_abilities[ $name ];
	}

	function wp_register_ability_category( string $slug, array $args ) {
		return null;
	}
}
