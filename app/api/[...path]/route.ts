import { api } from '@/server/http/api.ts'

export const dynamic = 'force-dynamic'

const answer = (request: Request): Response | Promise<Response> => api.fetch(request)

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
