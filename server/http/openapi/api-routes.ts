// Every documented route. A test compares the list with app/api, so that none is forgotten.
import type { ApiRoute } from './api-route.ts'
import * as configs from './config-routes.ts'
import * as releases from './release-routes.ts'
import * as runtimes from './runtime-routes.ts'

export const API_ROUTES: readonly ApiRoute[] = [
  ...Object.values(configs),
  ...Object.values(releases),
  ...Object.values(runtimes),
]

/** Routes that stand in no interface document: the console's own, and those of operators (docs/operations/monitor.md). */
export const CONSOLE_ONLY = [
  '/api/auth/',
  '/api/trpc/',
  '/api/export/',
  '/api/import/',
  '/open',
  '/packages/',
  '/livez',
  '/readyz',
  '/metrics',
]
