/** The error types that the Messages API documents, by status, as far as the server itself answers with them. */
const errorTypes = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
  500: 'api_error',
  529: 'overloaded_error',
} as const

export type RefusalStatus = keyof typeof errorTypes

export type ApiError = { readonly status: number; readonly type: string; readonly message: string }

export const refusal = (status: RefusalStatus, message: string): ApiError => ({
  status,
  type: errorTypes[status],
  message,
})

/** The body of an error, in the shape of the Messages API. */
export const errorBody = ({ type, message }: ApiError, requestId: string) => ({
  type: 'error',
  error: { type, message },
  request_id: requestId,
})
