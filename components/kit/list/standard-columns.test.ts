import { expect, test } from 'vitest'
import { ALERT_FACE } from '@/components/alerts/alert-face.tsx'
import { AUDIT_FACE } from '@/components/audit-log/audit-face.tsx'
import { configFace } from '@/components/configs/config-face.tsx'
import { DENIAL_FACE } from '@/components/explanations/decisions/denial-face.tsx'
import { STOP_FACE } from '@/components/explanations/stops/stop-face.tsx'
import { DELIVERY_FACE } from '@/components/feedback/delivery-face.tsx'
import { RELEASE_FACE } from '@/components/releases/release-face.tsx'
import { RUNTIME_FACE } from '@/components/runtimes/runtime-face.tsx'
import { SESSION_FACE } from '@/components/sessions/session-face.tsx'
import type { FaceHead } from './list-face.tsx'
import { leastWidth } from './list-table.tsx'

/** 1280 px without the rail. */
const WIDTH_PX = 1_080
/** Width of a list in a box of the page. */
const BOX_PX = 1_052

const FILLING: readonly FaceHead[] = [
  SESSION_FACE,
  STOP_FACE,
  DENIAL_FACE,
  DELIVERY_FACE,
  ALERT_FACE,
  AUDIT_FACE,
]

const BOXED: readonly FaceHead[] = [
  RELEASE_FACE,
  RUNTIME_FACE,
  configFace(
    ['dev', 'staging', 'production', 'guarded'].map((name) => ({ name, requiresTypedName: true })),
  ),
]

test.each([
  ...FILLING.map((face) => [face.name, face, WIDTH_PX] as const),
  ...BOXED.map((face) => [face.name, face, BOX_PX] as const),
])('the standard columns of the list %s fit in a window of 1280 px', (_name, face, width) => {
  const shown = face.columns.filter(({ name }) => face.shown.includes(name))
  expect(shown.map(({ name }) => name)).toEqual(face.shown)
  expect(leastWidth(shown)).toBeLessThanOrEqual(width)
})
