import { ProjectFileV1 } from '@signalbox/wire'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ALERT_SIGNAL_NAMES } from '@/server/alerts/signals.kinds.ts'
import { KEY_SCOPES } from '@/server/platform/auth/key-scopes.kinds.ts'

test('the file of "signalbox apply" knows the scopes and signals of the server', () => {
  const { properties } = z.toJSONSchema(ProjectFileV1, { io: 'input' }) as unknown as {
    readonly properties: {
      readonly keys: { readonly items: { readonly properties: { readonly scopes: object } } }
      readonly alerts: { readonly items: { readonly properties: { readonly signal: object } } }
    }
  }
  expect(properties.keys.items.properties.scopes).toMatchObject({ items: { enum: KEY_SCOPES } })
  expect(properties.alerts.items.properties.signal).toMatchObject({ enum: ALERT_SIGNAL_NAMES })
})
