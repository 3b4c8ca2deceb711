import { GivenSessionOrder } from '@signalbox/wire'
import { GiveOrderInput } from '@/server/session-orders/session-order-input.ts'
import { giveOrder } from '@/server/session-orders/session-orders.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

export const SESSION_ORDER_ENDPOINTS = [
  managed(
    {
      method: 'POST',
      path: '/api/manage/v1/sessions/{id}/orders',
      group: 'Records',
      summary: 'Pause, resume or end a session',
      description:
        'Gives the runtime of a session of the key’s environment a signed order. It takes effect when the session records `session.controlled`; the agent reads the reason with the name of the key.',
      scope: 'publish',
      body: {
        schema: GiveOrderInput.omit({ sessionId: true }),
        example: { action: 'pause', reason: 'Wait for the review.' },
      },
      answers: {
        201: {
          description:
            'The order was given. A runtime that does not report gets it when it is back.',
          schema: GivenSessionOrder,
          example: { counter: 1, expires_at: 1_795_086_400_000, reachable: true },
        },
        409: { description: 'The session has ended, takes no orders, or the order has no effect.' },
      },
    },
    async ({ scope, parameters: { id: sessionId }, body }) => {
      const { counter, expiresAt, isReachable } = await giveOrder(scope, { sessionId, ...body })
      const given = { counter, expires_at: expiresAt, reachable: isReachable }
      return jsonResponse(given, { status: 201 })
    },
  ),
]
