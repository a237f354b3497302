/**
 * Shows a change of the assistant in the open block editor at once. The next save must not overwrite the change. The
 * person's unsaved text stays: for each block, title and excerpt, the changed side wins.
 */
( ( { apiFetch, blocks, data, i18n } ) => {
	const { __, sprintf } = i18n;

	/** Says that saving overwrites a change of the assistant, with a button that takes the change. */
	const warn = ( id, text, take ) => {
		const notices = data.dispatch( 'core/notices' );
		const onClick = () => {
			take();
			notices.removeNotice( id );
		};
		notices.createWarningNotice( text, { id, actions: [ { label: __( 'Show the change', 'backend-ai-chat' ), onClick } ] } );
	};

	/**
	 * Merges the blocks of both sides; returns null if both sides changed the same block, or if one side changed the
	 * number of blocks.
	 */
	const joined = ( base, mine, theirs ) => {
		if ( mine.length !== base.length || theirs.length !== base.length ) {
			return null;
		}
		const [ before, own, other ] = [ base, mine, theirs ].map( ( side ) => side.map( ( block ) => blocks.serialize( [ block ] ) ) );
		const isBoth = base.some( ( _block, at ) => own[ at ] !== before[ at ] && ! [ before[ at ], own[ at ] ].includes( other[ at ] ) );
		return isBoth ? null : base.map( ( _block, at ) => ( own[ at ] === before[ at ] ? theirs : mine )[ at ] );
	};

	/** Warns of each field that both sides changed to different words. */
	const warnOfFields = ( [ type, id ], before, stored ) => {
		const edits = data.select( 'core' ).getEntityRecordNonTransientEdits( 'postType', type, id );
		const kept = [ [ 'title', __( 'Title' ) ], [ 'excerpt', __( 'Excerpt' ) ] ].filter(
			( [ name ] ) => name in edits && ! [ before[ name ], edits[ name ] ].includes( stored[ name ]?.raw )
		);
		if ( kept.length === 0 ) {
			return;
		}
		/* translators: %s: names of fields. */
		const text = __( 'The assistant has changed what you are editing: %s. Saving keeps your words.', 'backend-ai-chat' );
		const theirs = Object.fromEntries( kept.map( ( [ name ] ) => [ name, stored[ name ].raw ] ) );
		const take = () => data.dispatch( 'core/editor' ).editPost( theirs );
		warn( 'aic-fields', sprintf( text, kept.map( ( [ , label ] ) => label ).join( ', ' ) ), take );
	};

	const refresh = async () => {
		const editor = data.select( 'core/editor' );
		const [ type, id ] = [ editor.getCurrentPostType(), editor.getCurrentPostId() ];
		const before = data.select( 'core' ).getRawEntityRecord( 'postType', type, id );
		const { rest_base: place, rest_namespace: space = 'wp/v2' } = data.select( 'core' ).getPostType( type );
		const stored = await apiFetch( { path: `/${ space }/${ place }/${ id }?context=edit` } );

		warnOfFields( [ type, id ], before, stored );
		const receive = () => data.dispatch( 'core' ).receiveEntityRecords( 'postType', type, [ stored ], undefined, false );
		if ( before.content === stored.content.raw ) {
			receive();
			return;
		}
		const [ base, theirs ] = [ before.content, stored.content.raw ].map( ( content ) => blocks.parse( content ) );
		const mine = data.select( 'core/block-editor' ).getBlocks();
		if ( blocks.serialize( mine ) === blocks.serialize( base ) ) {
			// Without edits, the editor parses the received content, and has nothing to save.
			data.dispatch( 'core' ).editEntityRecord( 'postType', type, id, { blocks: undefined, content: undefined, selection: undefined }, { undoIgnore: true } );
			receive();
			return;
		}
		receive();
		const both = joined( base, mine, theirs );
		if ( both ) {
			data.dispatch( 'core/editor' ).resetEditorBlocks( both );
			return;
		}
		const text = __( 'The assistant has changed a block that you are editing. Saving keeps your words.', 'backend-ai-chat' );
		warn( 'aic-changed', text, () => data.dispatch( 'core/editor' ).resetEditorBlocks( theirs ) );
	};

	/** Keeps the title of the open post in the panel up to date: a new post is saved without a load of the page. */
	let shown;
	data.subscribe( () => {
		const title = data.select( 'core/editor' ).getCurrentPostAttribute( 'title' );
		// The editor reports every key press, so the page is searched only for a new title.
		const panel = title && title !== shown ? document.querySelector( 'ai-chat-panel' ) : null;
		if ( panel?.context ) {
			shown = title;
			panel.context = { ...panel.context, title };
		}
	} );

	document.addEventListener( 'ai-chat-changed', ( event ) => {
		const id = data.select( 'core/editor' )?.getCurrentPostId();
		if ( id && event.detail?.records?.some( ( record ) => Number( record.uid ) === Number( id ) && record.table !== 'comment' ) ) {
			void refresh();
		}
	} );
} )( window.wp );
