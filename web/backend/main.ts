import '../chat/main.ts'
import { BackendApp } from './app.ts'
import { BackendList } from './list.ts'
import { BackendLog } from './log.ts'
import { BackendLogin } from './login.ts'
import { BackendPage } from './page.ts'
import { BackendRecord } from './record.ts'
import { BackendRelogin } from './relogin.ts'
import { BackendShell } from './shell.ts'
import { restoreTheme } from './theme.ts'
import { BackendTree } from './tree.ts'
import { BackendUsage } from './usage.ts'

restoreTheme()
customElements.define('backend-login', BackendLogin)
customElements.define('backend-relogin', BackendRelogin)
customElements.define('backend-tree', BackendTree)
customElements.define('backend-page', BackendPage)
customElements.define('backend-list', BackendList)
customElements.define('backend-record', BackendRecord)
customElements.define('backend-log', BackendLog)
customElements.define('backend-usage', BackendUsage)
customElements.define('backend-shell', BackendShell)
customElements.define('backend-app', BackendApp)
