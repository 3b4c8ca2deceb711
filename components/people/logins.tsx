'use client'

import { plural } from '@signalbox/core/analysis'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { signOut } from '@/components/shell/account.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { browserText } from './browser-text.ts'

type Login = inferRouterOutputs<AppRouter>['account']['get']['logins'][number]

export function Logins({ logins }: { readonly logins: readonly Login[] }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const onSettled = () => void client.invalidateQueries({ queryKey: trpc.account.get.queryKey() })
  const end = useMutation(trpc.account.endLogin.mutationOptions({ onSettled }))
  const endOthers = useMutation(trpc.account.endOtherLogins.mutationOptions({ onSettled }))
  const failed = end.error ?? endOthers.error
  return (
    <Card>
      <CardHeader
        title="Active logins"
        aside={plural(logins.length, 'browser')}
        actions={
          <Button
            disabled={logins.length < 2 || endOthers.isPending}
            title={logins.length < 2 ? 'You are not signed in anywhere else' : undefined}
            onClick={() => endOthers.mutate()}
          >
            Sign out everywhere else
          </Button>
        }
      />
      {failed !== null && <ErrorState what="The sign-out failed." why={failed} />}
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Browser</HeadCell>
            <HeadCell>From</HeadCell>
            <HeadCell>Since</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {logins.map((login) => (
            <Row key={login.id}>
              <Cell className="font-medium">
                {browserText(login.userAgent)}
                {login.isCurrent && <span className="text-text-3"> (this one)</span>}
              </Cell>
              <Cell label="From">
                <code>{login.ipAddress || '–'}</code>
              </Cell>
              <Cell label="Since">
                <Timestamp at={login.createdAt} style="second" />
              </Cell>
              <Cell className="text-right">
                <Button
                  className="h-6"
                  disabled={end.isPending}
                  onClick={() => (login.isCurrent ? void signOut() : end.mutate({ id: login.id }))}
                  aria-label={`Sign out ${login.isCurrent ? 'here' : browserText(login.userAgent)}`}
                >
                  Sign out
                </Button>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}
