import { ProjectFileV1 } from '@signalbox/wire'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { DESTINATION_KIND_NAMES } from '@/server/alerts/destination.kinds.ts'
import { ALERT_SIGNAL_NAMES } from '@/server/alerts/signals.kinds.ts'
import { KEY_SCOPES } from '@/server/platform/auth/key-scopes.kinds.ts'

test('the file of "signalbox apply" knows the scopes, signals and kinds of destinations of the server', () => {
  const { properties } = z.toJSONSchema(ProjectFileV1, { io: 'input' }) as unknown as {
    readonly properties: {
      readonly keys: { readonly items: { readonly properties: { readonly scopes: object } } }
      readonly alerts: { readonly items: { readonly properties: { readonly signal: object } } }
      readonly destinations: {
        readonly additionalProperties: { readonly properties: { readonly kind: object } }
      }
    }
  }
  expect(properties.keys.items.properties.scopes).toMatchObject({ items: { enum: KEY_SCOPES } })
  expect(properties.alerts.items.properties.signal).toMatchObject({ enum: ALERT_SIGNAL_NAMES })
  expect(properties.destinations.additionalProperties.properties.kind).toMatchObject({
    enum: DESTINATION_KIND_NAMES,
  })
})
