/**
 * The buttons of the admin bar and of the block editor open and close the panel, which keeps clear of the bars of wp-admin.
 */
( ( wp ) => {
	const { __ } = wp.i18n;
	const barSelector = '#wpadminbar, .interface-interface-skeleton__header';
	const footSelector = '.interface-interface-skeleton__footer';
	const sideSelector = '.interface-interface-skeleton__sidebar';

	const toggle = ( event ) => {
		const panel = document.querySelector( 'ai-chat-panel' );
		if ( panel ) {
			event.preventDefault();
			panel.toggle();
		}
	};

	document.querySelector( '#wp-admin-bar-backend-ai-chat > a' )?.addEventListener( 'click', toggle );

	/** The block editor covers the admin bar, so it has a button of its own, which it may draw away at any time. */
	const button = document.createElement( 'button' );
	button.type = 'button';
	button.id = 'aic-editor-button';
	button.className = 'components-button has-icon';
	button.title = __( 'AI Chat', 'backend-ai-chat' );
	button.setAttribute( 'aria-label', button.title );
	const sign = document.createElement( 'span' );
	sign.className = 'dashicons dashicons-format-chat';
	button.append( sign );
	button.addEventListener( 'click', toggle );

	const boxes = ( selector ) => [ ...document.querySelectorAll( selector ) ].map( ( element ) => element.getBoundingClientRect() ).filter( ( { width, height } ) => width > 0 && height > 0 );

	/** What bars take of each edge of the window, in pixels. */
	const inset = () => {
		const { innerWidth, innerHeight } = window;
		const menu = innerWidth > 782 ? boxes( '#adminmenuwrap' ) : [];
		const side = innerWidth > 960 ? boxes( sideSelector ) : [];
		const isRtl = document.documentElement.dir === 'rtl';
		const [ start, end ] = [ menu, side ].map( ( all ) => all.reduce( ( sum, { width } ) => sum + width, 0 ) );
		const top = Math.max( 0, ...boxes( barSelector ).map( ( { bottom } ) => bottom ) );
		const bottom = Math.max( 0, ...boxes( footSelector ).map( ( box ) => innerHeight - box.top ) );
		return [ top, isRtl ? start : end, bottom, isRtl ? end : start ].map( ( size ) => `${ Math.round( size ) }px` ).join( ' ' );
	};

	const keepClear = () => {
		const { style } = document.documentElement;
		const now = inset();
		if ( style.getPropertyValue( '--aic-inset' ) !== now ) {
			style.setProperty( '--aic-inset', now );
			// The panel measures itself when the window changes.
			window.dispatchEvent( new Event( 'resize' ) );
		}
	};

	let isDue = false;
	const look = () => {
		if ( isDue ) {
			return;
		}
		isDue = true;
		window.requestAnimationFrame( () => {
			isDue = false;
			const tools = document.querySelector( '.edit-post-header__settings, .editor-header__settings' );
			if ( tools && ! tools.contains( button ) ) {
				tools.prepend( button );
			}
			keepClear();
		} );
	};

	look();
	window.addEventListener( 'resize', look );
	const menu = document.querySelector( '#adminmenuwrap' );
	if ( menu ) {
		new ResizeObserver( look ).observe( menu );
	}
	const editor = document.querySelector( '#editor' );
	if ( editor ) {
		new MutationObserver( look ).observe( editor, { childList: true, subtree: true } );
	}
} )( window.wp );
