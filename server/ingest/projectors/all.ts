// The counts that batches share come last, because their rows stay locked until the commit.

import { activityDays } from './activity-days.ts'
import { callApprovals } from './call-approvals.ts'
import { callMinutes } from './call-minutes.ts'
import { deliveries } from './deliveries.ts'
import { denials } from './denials.ts'
import { minuteCounts } from './minute-counts.ts'
import type { Projector } from './projector.ts'
import { rollupHours } from './rollup-hours.ts'
import { sessionOrders } from './session-orders.ts'
import { sessionSnapshots } from './session-snapshots.ts'
import { shadowDifferences } from './shadow-differences.ts'
import { shadowSessions } from './shadow-sessions.ts'
import { stops } from './stops.ts'
import { streamItems } from './stream-items.ts'

export const PROJECTORS: readonly Projector[] = [
  sessionSnapshots,
  stops,
  denials,
  streamItems,
  deliveries,
  shadowSessions,
  shadowDifferences,
  callApprovals,
  sessionOrders,
  rollupHours,
  callMinutes,
  minuteCounts,
  activityDays,
]
