import * as z from 'zod'

// Imported before any schema: zod would try code from texts when it builds one, which a strict page forbids and reports.
z.config({ jitless: true })
